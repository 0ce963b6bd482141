// Feature: a transcendental function
package samples.guards;

public class Sine {
    public static boolean isTop(double angle) {
        if (angle > 100 && angle < 200 && Math.sin(angle) > 0.9999) {
            return true; // goal: reached
        }
        return false;
    }
}
