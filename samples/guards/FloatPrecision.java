// Feature: a float too large for its neighbour
package samples.guards;

public class FloatPrecision {
    public static boolean sticks(float x) {
        if (x + 1f == x && x > 1e7f && x < 2e7f) {
            return true; // goal: reached
        }
        return false;
    }
}
