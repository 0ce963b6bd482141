// Feature: a product that becomes infinite
package samples.guards;

public class Infinite {
    public static boolean overflows(float x, float y) {
        if (x < 1e30f && y < 1e10f && x > 1e20f && x * y == Float.POSITIVE_INFINITY) {
            return true; // goal: reached
        }
        return false;
    }
}
