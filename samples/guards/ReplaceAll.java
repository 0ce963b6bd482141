// Feature: String.replaceAll
package samples.guards;

public class ReplaceAll {
    public static boolean normalises(String text) {
        if (text.length() == 8 && text.replaceAll(" +", "_").equals("to_be")) {
            return true; // goal: reached
        }
        return false;
    }
}
