// Feature: Integer.parseInt
package samples.guards;

public class ParseInt {
    public static boolean isSquare(String text) {
        int side = Integer.parseInt(text);
        if (side > 0 && side * side == 54_756) {
            return true; // goal: reached
        }
        return false;
    }
}
