// Feature: a product of longs that wraps to a small positive value
package samples.guards;

public class LongOverflow {
    private static final long MILLIS_OF_DAY = 86_400_000L;

    public static long millis(long days) {
        long millis = days * MILLIS_OF_DAY;
        if (days > 1_000_000_000_000L && millis > 0 && millis < 1_000_000) {
            return millis; // goal: reached
        }
        return -1;
    }
}
