// Feature: String.equalsIgnoreCase
package samples.guards;

public class IgnoreCase {
    public static boolean isHeader(String name) {
        if (name.equalsIgnoreCase("x-Id") && name.charAt(3) == 'D' && name.charAt(2) == 'i') {
            return true; // goal: reached
        }
        return false;
    }
}
