package org.example.world.state;

import java.util.Arrays;

/** A static array that is handed out and changed in place. */
public class SharedBuffer {

    private static final int[] BUFFER = new int[4];

    public static int[] view() {
        return BUFFER;
    }

    public static int fill(int from) {
        if (from < 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("negative: " + from);
        }
        int sum = 0;
        for (int i = 0; i < BUFFER.length; i++) { // feasible: 2 of 2
            BUFFER[i] = from + i;
            sum += BUFFER[i];
        }
        return sum;
    }

    public static boolean isClean() {
        for (int value : BUFFER) { // feasible: 2 of 2
            if (value != 0) { // feasible: 2 of 2
                return false;
            }
        }
        return true;
    }

    public static void clean() {
        Arrays.fill(BUFFER, 0);
    }
}
