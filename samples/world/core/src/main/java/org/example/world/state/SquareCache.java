package org.example.world.state;

import java.util.LinkedHashMap;
import java.util.Map;

/** Remembers results in a static cache and counts hits. */
public class SquareCache {

    private static final int LIMIT = 3;
    private static final Map<Integer, Long> CACHE = new LinkedHashMap<>();
    private static int hits;

    public long square(int number) {
        Long known = CACHE.get(number);
        if (known != null) { // feasible: 2 of 2
            hits++;
            return known;
        }
        if (CACHE.size() >= LIMIT) { // feasible: 2 of 2
            CACHE.clear();
        }
        long square = (long) number * number;
        CACHE.put(number, square);
        return square;
    }

    public static int hits() {
        return hits;
    }

    public static boolean isCached(int number) {
        return CACHE.containsKey(number);
    }

    public static void clear() {
        CACHE.clear();
        hits = 0;
    }
}
