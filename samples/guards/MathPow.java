// Feature: Math.pow
package samples.guards;

public class MathPow {
    public static boolean isCube(double edge) {
        if (edge > 2 && Math.pow(edge, 3) == 2_460.375) {
            return true; // goal: reached
        }
        return false;
    }
}
