// Feature: String.isBlank and strip
package samples.guards;

public class BlankText {
    public static boolean isIndent(String line) {
        if (!line.isEmpty() && line.isBlank() && line.length() == 5 && line.indexOf('\n') == 3) {
            return true; // goal: reached
        }
        return false;
    }
}
