// Feature: a float that a sum makes equal to another
package samples.guards;

public class FloatEquality {
    public static boolean balances(float weight) {
        if (weight * 3.0f + 1.25f == 8.0f) {
            return true; // goal: reached
        }
        return false;
    }
}
