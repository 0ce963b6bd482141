package services;

import java.io.IOException;

public class CodecService {
    public static int length(WordCodec codec, String text) throws IOException {
        String decoded = codec.decode(text);
        if (decoded == null) {
            return codec.encode("a", "b") == null ? -1 : -2;
        }
        return decoded.length() > 2 ? 3 : decoded.length();
    }
}
