package services;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Optional;

/** Methods that are declared again: one with the same types, one with a narrower result. */
public interface NarrowFinder extends Finder<Owner, Long> {
    @Override
    Optional<Owner> find(Long id);

    @Override
    ArrayList<Owner> findAll(Collection<? extends Long> ids);
}
