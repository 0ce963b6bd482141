// Feature: Math.round
package samples.guards;

public class MathRound {
    public static boolean isPrice(double price) {
        if (Math.round(price * 100) == 31_459) {
            return true; // goal: reached
        }
        return false;
    }
}
