// Feature: the sum of two positive ints that wraps
package samples.guards;

public class IntOverflow {
    public static boolean grow(int used, int needed) {
        int next = used + needed;
        if (used > 0 && needed > used) {
            if (next == Integer.MIN_VALUE + 1777) {
                return true; // goal: reached
            }
        }
        return false;
    }
}
