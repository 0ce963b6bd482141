package services;

import java.util.function.Supplier;

/** Nested types of a generic class. */
public class Registry<T> {
    private final Entry entry = new Entry();

    public interface Listener<E extends Supplier<? extends Number>> {
        boolean added(E entry);

        boolean removed(E entry);
    }

    public class Entry implements Supplier<Integer> {
        @Override
        public Integer get() { return 3; }

        public T value() { return null; }
    }

    public interface EntryListener extends Listener<Registry<String>.Entry> {}

    public int register(EntryListener listener, Registry<String> other) {
        if (listener.added(other.entry)) {
            return entry.get();
        }
        return listener.removed(other.entry) ? 1 : 0;
    }
}
