// Feature: the root of a quadratic over doubles
package samples.guards;

public class DoubleQuadratic {
    public static String root(double x) {
        if (x > 10 && x * x - 21.5 * x + 115.5 == 0) {
            return "root"; // goal: reached
        }
        return "none";
    }
}
