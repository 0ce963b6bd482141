// Feature: a stream of the characters of a string
package samples.guards;

public class StringChars {
    public static boolean counts(String text) {
        if (text.length() == 5 && text.chars().filter(c -> c == '%').count() == 3 && text.charAt(0) != '%') {
            return true; // goal: reached
        }
        return false;
    }
}
