// Feature: Long.parseLong with a radix
package samples.guards;

public class ParseLong {
    public static boolean isMask(String text) {
        long mask = Long.parseLong(text, 16);
        if (mask % 1000 == 123 && mask > 0xFFFFF) {
            return true; // goal: reached
        }
        return false;
    }
}
