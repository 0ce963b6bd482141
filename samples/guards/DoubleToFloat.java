// Feature: a double that becomes a certain float
package samples.guards;

public class DoubleToFloat {
    public static boolean rounds(double x) {
        if ((float) x == 16.1f && x > 16.1f) {
            return true; // goal: reached
        }
        return false;
    }
}
