package org.example.world.env;

/** Labels with the identity hash of an object. */
public class ObjectLabel {

    public String label(Object value) {
        if (value == null) { // feasible: 2 of 2
            return "null";
        }
        if (value instanceof String) { // feasible: 2 of 2
            return "\"" + value + "\"";
        }
        return value.getClass().getSimpleName() + "#" + Integer.toHexString(System.identityHashCode(value));
    }

    public int bucket(Object value, int buckets) {
        if (buckets < 1) { // feasible: 2 of 2
            throw new IllegalArgumentException("buckets: " + buckets);
        }
        return Math.floorMod(System.identityHashCode(value), buckets);
    }

    public boolean isEven(Object value) {
        return System.identityHashCode(value) % 2 == 0; // environment: the identity hash
    }
}
