// Feature: Math.sqrt
package samples.guards;

public class MathSqrt {
    public static boolean isSide(double area) {
        if (Math.sqrt(area) == 123.5) {
            return true; // goal: reached
        }
        return false;
    }
}
