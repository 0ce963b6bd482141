// Feature: Arrays.sort of given numbers
package samples.guards;

import java.util.Arrays;

public class SortedCopy {
    public static boolean isMedian(int a, int b, int c) {
        int[] values = {a, b, c};
        Arrays.sort(values);
        if (values[1] == 5_150 && values[2] - values[0] == 99 && a > b && b > c) {
            return true; // goal: reached
        }
        return false;
    }
}
