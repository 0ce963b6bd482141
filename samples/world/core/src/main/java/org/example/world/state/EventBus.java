package org.example.world.state;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Listeners in a static list. */
public class EventBus {

    private static final List<Consumer<String>> LISTENERS = new ArrayList<>();

    public static void subscribe(Consumer<String> listener) {
        if (LISTENERS.contains(listener)) { // feasible: 2 of 2
            throw new IllegalStateException("subscribed already");
        }
        LISTENERS.add(listener);
    }

    public static boolean unsubscribe(Consumer<String> listener) {
        return LISTENERS.remove(listener);
    }

    public static int publish(String event) {
        if (event.isBlank()) { // feasible: 2 of 2
            return 0;
        }
        for (Consumer<String> listener : LISTENERS) { // feasible: 2 of 2
            listener.accept(event);
        }
        return LISTENERS.size();
    }

    public static void clear() {
        LISTENERS.clear();
    }
}
