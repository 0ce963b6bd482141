// Feature: String.format
package samples.guards;

public class FormatText {
    public static boolean isLabel(int number) {
        if (String.format("%05d", number).equals("00731")) {
            return true; // goal: reached
        }
        return false;
    }
}
