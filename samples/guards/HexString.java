// Feature: Integer.toHexString
package samples.guards;

public class HexString {
    public static boolean isWord(int value) {
        if (Integer.toHexString(value).equals("fade5")) {
            return true; // goal: reached
        }
        return false;
    }
}
