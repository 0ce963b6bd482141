package services;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

public interface Finder<T, ID> {
    Optional<T> find(ID id);

    List<T> findAll(Collection<? extends ID> ids);

    <S extends T> S keep(S found);
}
