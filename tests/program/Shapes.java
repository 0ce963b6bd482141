package demo;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Supplier;

/** One small class with all kinds of members that a cluster distinguishes. */
public class Shapes<T extends Comparable<T>> implements Iterable<T> {
    public static final int LIMIT = 7;
    static Shapes<String> shared = new Shapes<>(Kind.ROUND);

    public enum Kind {
        ROUND,
        FLAT;

        boolean isRound() {
            return this == ROUND;
        }
    }

    public interface Visitor<V> {
        void visit(V value, int depth);
    }

    public static class Builder {
        private int size;
        private String label = "none";

        public Builder size(int size) {
            this.size = size;
            return this;
        }

        Builder label(String label) {
            this.label = label;
            return this;
        }

        public Shapes<String> build() {
            Shapes<String> made = new Shapes<>(Kind.FLAT);
            for (int i = 0; i < size; i++) {
                made.add(label);
            }
            return made;
        }
    }

    class Cursor {
        int at;

        T current() {
            return items.get(at);
        }
    }

    private static final class Hidden {
        static int secret() {
            return 42;
        }
    }

    private final List<T> items = new ArrayList<>();
    private final Kind kind;
    private int changes;

    public Shapes(Kind kind) {
        this.kind = kind;
    }

    protected Shapes(Builder builder, T... first) {
        this(builder.size > 3 ? Kind.ROUND : Kind.FLAT);
        for (T item : first) {
            items.add(item);
        }
    }

    private Shapes() {
        this(Kind.ROUND);
    }

    public void add(T item) {
        if (items.size() >= LIMIT) {
            throw new IllegalStateException("full");
        }
        items.add(item);
        changes++;
    }

    public int size() {
        return items.size();
    }

    public boolean isRound() {
        return kind.isRound();
    }

    int changes() {
        return changes;
    }

    public T greatest() throws NoSuchElementException {
        T best = null;
        for (T item : items) {
            if (best == null || item.compareTo(best) > 0) {
                best = item;
            }
        }
        return best;
    }

    void accept(Visitor<? super T> visitor) {
        int depth = 0;
        for (T item : items) {
            visitor.visit(item, depth++);
        }
    }

    Supplier<T> first() {
        return () -> items.get(0);
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<T>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < items.size();
            }

            @Override
            public T next() {
                return items.get(next++);
            }
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shapes && ((Shapes<?>) other).items.equals(items);
    }

    @Override
    public int hashCode() {
        return items.hashCode();
    }
}
