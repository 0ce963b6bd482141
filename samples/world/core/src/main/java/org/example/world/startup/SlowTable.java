package org.example.world.startup;

/** An initialiser that computes for about 300 ms. */
public class SlowTable {

    private static final long[] TABLE = new long[64];

    static {
        long state = 1;
        for (int i = 0; i < TABLE.length; i++) { // feasible: 2 of 2
            for (int round = 0; round < 4_000_000; round++) { // feasible: 2 of 2
                state = state * 6364136223846793005L + 1442695040888963407L;
            }
            TABLE[i] = state;
        }
    }

    public static boolean isHigh(int index) {
        if (index < 0 || index >= TABLE.length) { // feasible: 4 of 4
            throw new IllegalArgumentException("index: " + index);
        }
        return TABLE[index] > 0; // feasible: 2 of 2
    }

    public static int next(int index) {
        return index == TABLE.length - 1 ? 0 : index + 1; // feasible: 2 of 2
    }
}
