// Feature: shift distances that Java masks
package samples.guards;

public class ShiftDistance {
    public static boolean wraps(int value, int distance) {
        if (distance > 40 && value > 1000 && value << distance == value * 4 && value >>> distance == 777) {
            return true; // goal: reached
        }
        return false;
    }
}
