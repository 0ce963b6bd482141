// Feature: String.trim
package samples.guards;

public class TrimText {
    public static boolean answers(String line) {
        if (line.length() == 7 && line.trim().equals("yes") && line.charAt(5) == '\t') {
            return true; // goal: reached
        }
        return false;
    }
}
