// Feature: Arrays.binarySearch in a table
package samples.guards;

import java.util.Arrays;

public class BinarySearch {
    private static final int[] STEPS = new int[20];

    static {
        for (int i = 0; i < STEPS.length; i++) {
            STEPS[i] = i * i * 37 + 11;
        }
    }

    public static boolean finds(int key) {
        if (Arrays.binarySearch(STEPS, key) == 13) {
            return true; // goal: reached
        }
        return false;
    }
}
