// Feature: a string behind an interface
package samples.guards;

public class CharSequenceArgument {
    public static boolean ends(CharSequence text) {
        if (text.length() == 4 && text.charAt(3) == '!' && text.charAt(0) == 'w') {
            return true; // goal: reached
        }
        return false;
    }
}
