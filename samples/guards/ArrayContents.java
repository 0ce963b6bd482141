// Feature: the elements of an array that the caller gives
package samples.guards;

public class ArrayContents {
    public static int rise(int[] levels) {
        if (levels.length < 3) {
            return 0;
        }
        for (int i = 1; i < levels.length; i++) {
            if (levels[i] != levels[i - 1] * 2 + 17) {
                return i;
            }
        }
        if (levels[0] == 31) {
            return -1; // goal: reached
        }
        return levels.length;
    }
}
