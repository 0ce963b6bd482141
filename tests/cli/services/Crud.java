package services;

import java.util.List;
import java.util.Optional;

/** More methods than an anonymous class in a test may have. */
public interface Crud<T, ID> {
    <S extends T> S save(S entity);

    Optional<T> findById(ID id);

    List<T> findAll();

    boolean existsById(ID id);

    void delete(T entity);
}
