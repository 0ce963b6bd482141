package p;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Generics, nesting, functional parameters. */
public class Shelf<T> implements Iterable<T> {
    protected final List<T> items = new ArrayList<>();
    Map<String, List<T>> index;
    public T top;

    public Shelf() {}

    public Shelf(Collection<? extends T> items) { this.items.addAll(items); }

    Shelf(T only, List<T> rest) { items.add(only); }

    public Shelf<T> put(T item) { items.add(item); return this; }

    public T get(int index) { return items.get(index); }

    public List<T> all() { return items; }

    public int size() { return items.size(); }

    public boolean isEmpty() { return items.isEmpty(); }

    static String first(Shelf<String> shelf) { return shelf.get(0); }

    public <R> Shelf<R> map(Function<? super T, ? extends R> function) {
        Shelf<R> mapped = new Shelf<>();
        for (T item : items) {
            mapped.put(function.apply(item));
        }
        return mapped;
    }

    public Shelf<T> filter(Predicate<? super T> predicate) { return this; }

    public <U extends Comparable<? super U>> U best(Collection<? extends U> from) { return null; }

    public static <U extends Comparable<U>> int order(U left, U right) { return left.compareTo(right); }

    public static <E extends Enum<E>> E constant(Class<E> type, String name) { return Enum.valueOf(type, name); }

    public static <A, B> Map<A, List<B>> group(Map<A, B> map, Class<B> type) { return null; }

    public static List<String> names(List<String> names, Map<String, Integer> counts) { return names; }

    public <X extends Exception> T need(Supplier<X> otherwise) throws X {
        if (items.isEmpty()) {
            throw otherwise.get();
        }
        return items.get(0);
    }

    public void sort(Comparator<? super T> order) { items.sort(order); }

    public Map<? super Integer, ? extends Number> wild() { return null; }

    public Iterator<T> iterator() { return items.iterator(); }

    @SafeVarargs
    public static <V> List<V> listOf(V... items) { return java.util.Arrays.asList(items); }

    public Cursor cursor() { return new Cursor(0); }

    /** An inner class of a generic class. */
    public class Cursor {
        private final int at;

        public Cursor(int at) { this.at = at; }

        public T item() { return at < items.size() ? items.get(at) : null; }

        public class Deep {
            public Deep(String name) {}
        }
    }

    /** A bound that needs solving. */
    public static class Sorted<K extends Comparable<K>, V extends Number> extends Shelf<V> {
        public Sorted(K key) {}

        public K key() { return null; }

        V value(K key, Map<K, ? super V> map) { return null; }
    }

    public static class Names extends Shelf<String> {
        @Override
        public Names put(String item) { super.put(item); return this; }
    }

    static class Hidden {
        static Hidden make() { return new Hidden(); }
    }

    private static class Secret extends Hidden {}

    public Object secret() { return new Secret(); }

    interface Visitor<R> {
        R visit(String name, int depth) throws Exception;

        boolean done();
    }

    interface Named extends Supplier<String>, Comparator<Integer> {}

    abstract static class Shape {
        abstract double area(List<String> of);

        protected abstract String name();
    }

    public <R> R accept(Visitor<R> visitor) throws Exception { return visitor.visit("root", 0); }

    static String call(Named named) { return named.get(); }

    static double area(Shape shape) { return shape.area(null); }

    static int twice(BiFunction<Integer, Integer, Integer> f, int n) { return f.apply(n, n); }

    interface Generic { <Q> Q make(Class<Q> type); }

    static Object generic(Generic generic) { return generic.make(String.class); }
}
