// Feature: String.equals with a text made at run time
package samples.guards;

public class StringEquality {
    public static boolean login(String name, int number) {
        String expected = "u" + number * 3 + "x";
        if (number > 100 && name.equals(expected)) {
            return true; // goal: reached
        }
        return false;
    }
}
