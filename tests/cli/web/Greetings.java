package web;

import java.util.List;
import java.util.Optional;

/** Where greetings are kept. */
public interface Greetings {
    Optional<String> find(int id);

    List<String> all();

    void save(String text);
}
