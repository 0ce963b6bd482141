// Feature: Math.abs, Math.max and Math.min of doubles
package samples.guards;

public class MathAbs {
    public static boolean fits(double a, double b) {
        if (Math.abs(a) == 77.125 && a < 0 && Math.max(a, b) == -12.5 && Math.min(a, b) == a) {
            return true; // goal: reached
        }
        return false;
    }
}
