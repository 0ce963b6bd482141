package services;

public interface OwnerRepository extends Crud<Owner, Integer> {}
