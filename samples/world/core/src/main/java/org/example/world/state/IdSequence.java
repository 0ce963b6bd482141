package org.example.world.state;

/** Numbers from a static counter. */
public class IdSequence {

    private static int last;

    private IdSequence() {
    }

    public static int nextId() {
        if (last == Integer.MAX_VALUE) { // environment: the counter cannot be set to its limit
            last = 0;
        }
        return ++last;
    }

    public static String nextKey(String prefix) {
        if (prefix.length() > 8) { // feasible: 2 of 2
            throw new IllegalArgumentException("too long: " + prefix);
        }
        return (prefix.isEmpty() ? "id" : prefix) + "-" + nextId(); // feasible: 2 of 2
    }

    public static int last() {
        return last;
    }

    public static void reset() {
        last = 0;
    }
}
