// Feature: NaN made by a subtraction of infinities
package samples.guards;

public class NotANumber {
    public static boolean vanishes(double a, double b) {
        double difference = a * 2 - b;
        if (difference != difference && a == a && b == b) {
            return true; // goal: reached
        }
        return false;
    }
}
