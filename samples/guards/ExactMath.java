// Feature: Math.multiplyExact that throws
package samples.guards;

public class ExactMath {
    public static String area(int width, int height) {
        try {
            return "area " + Math.multiplyExact(width, height);
        } catch (ArithmeticException overflow) {
            if (width > 0 && height == width + 12_345) {
                return "too large"; // goal: reached
            }
            return "overflow";
        }
    }
}
