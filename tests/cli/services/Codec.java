package services;

import java.io.IOException;

/** A bounded variable, a checked exception, variable arity. */
public interface Codec<T extends Comparable<T>> {
    T decode(String text) throws IOException;

    String encode(T... values);

    boolean accepts(T value, T[] others);
}
