// Feature: String.contains, twice in one string
package samples.guards;

public class ContainsText {
    public static boolean both(String text) {
        if (text.length() == 5 && text.contains("abc") && text.contains("cde")) {
            return true; // goal: reached
        }
        return false;
    }
}
