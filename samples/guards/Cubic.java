// Feature: the root of a polynomial
package samples.guards;

public class Cubic {
    public static String root(long x) {
        if (x > -3000 && x < 3000 && x * x * x - 7 * x * x + 11 * x == 380_548_877L) {
            return "root " + x; // goal: reached
        }
        return "none";
    }
}
