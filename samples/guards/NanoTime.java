// Feature: a clock
package samples.guards;

public class NanoTime {
    public static boolean isLucky(int x) {
        long begin = System.nanoTime();
        if (begin % 1_000_003 == x * 2L + 1 && x > 1_000) {
            return true; // goal: cannot, the time is no input
        }
        return false;
    }
}
