// Feature: Double.compare tells the zeros apart
package samples.guards;

public class DoubleCompare {
    public static boolean differs(double a, double b) {
        if (a == b && Double.compare(a + 0.0, b) > 0) {
            return true; // goal: reached
        }
        return false;
    }
}
