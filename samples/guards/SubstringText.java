// Feature: String.substring
package samples.guards;

public class SubstringText {
    public static boolean hasKey(String text) {
        if (text.length() == 9 && text.substring(2, 5).equals("key") && text.substring(6).equals("=on")) {
            return true; // goal: reached
        }
        return false;
    }
}
