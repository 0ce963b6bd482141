// Feature: Arrays.equals and Arrays.fill
package samples.guards;

import java.util.Arrays;

public class ArrayEquality {
    public static boolean matches(int[] code, int filler) {
        int[] expected = new int[3];
        Arrays.fill(expected, filler * 3);
        expected[1]++;
        if (filler > 500 && Arrays.equals(code, expected)) {
            return true; // goal: reached
        }
        return false;
    }
}
