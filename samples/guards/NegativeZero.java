// Feature: negative zero made of a number that is not
package samples.guards;

public class NegativeZero {
    public static boolean underflows(double x) {
        double tiny = x * 1e-300;
        if (tiny == 0 && 1 / tiny < 0 && x != 0) {
            return true; // goal: reached
        }
        return false;
    }
}
