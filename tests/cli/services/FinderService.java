package services;

import java.util.List;

/** Collaborators with three methods: generic, declared again, and raw. */
public class FinderService {
    public static int count(NarrowFinder finder, Long id) {
        if (finder.find(id).isPresent()) {
            return 1;
        }
        return finder.findAll(List.of(id)).isEmpty() ? 0 : 2;
    }

    @SuppressWarnings({"rawtypes", "unchecked"})
    public static boolean has(Finder finder) { return finder.keep("x") != null; }
}
