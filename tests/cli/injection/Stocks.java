package injection;

import java.util.Optional;

/** A collaborator. */
public interface Stocks {
    Optional<Integer> find(String item);

    void reserve(String item, int count);
}
