// Feature: the remainder of a double
package samples.guards;

public class FloatRemainder {
    public static boolean isPhase(double angle) {
        if (angle > 720 && angle < 1e6 && angle % 360 == 271.5) {
            return true; // goal: reached
        }
        return false;
    }
}
