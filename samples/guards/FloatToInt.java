// Feature: the cast of a float to an int
package samples.guards;

public class FloatToInt {
    public static boolean isTick(float seconds) {
        int ticks = (int) (seconds * 60);
        if (ticks == 123_457 && seconds != 2057.62f) {
            return true; // goal: reached
        }
        return false;
    }
}
