// Feature: String.toLowerCase
package samples.guards;

public class LowerCase {
    public static boolean warns(String level) {
        if (level.toLowerCase().equals("warn") && level.charAt(0) == 'W' && level.charAt(2) == 'R') {
            return !level.equals("WARN"); // goal: reached
        }
        return false;
    }
}
