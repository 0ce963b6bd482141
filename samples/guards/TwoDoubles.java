// Feature: sum and product of two doubles
package samples.guards;

public class TwoDoubles {
    public static boolean fits(double a, double b) {
        if (a + b == 10.5 && a * b == 20.0 && a > b) {
            return true; // goal: reached
        }
        return false;
    }
}
