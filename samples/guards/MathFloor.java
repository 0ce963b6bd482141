// Feature: Math.floor and Math.ceil
package samples.guards;

public class MathFloor {
    public static boolean between(double x) {
        if (Math.floor(x) == -1_717 && Math.ceil(x) == -1_716 && x * 4 == Math.floor(x * 4)) {
            return true; // goal: reached
        }
        return false;
    }
}
