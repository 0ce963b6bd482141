// Feature: numbers and texts put together
package samples.guards;

public class Concatenation {
    public static boolean isCode(int area, int number) {
        if ((area + "-" + number).equals("417-5309")) {
            return true; // goal: reached
        }
        return false;
    }
}
