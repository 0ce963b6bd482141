package services;

public interface WordCodec extends Codec<String> {}
