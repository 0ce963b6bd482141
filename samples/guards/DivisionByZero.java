// Feature: an ArithmeticException, caught
package samples.guards;

public class DivisionByZero {
    public static int ratio(int a, int b) {
        try {
            return 1_000 / (a * 3 - b);
        } catch (ArithmeticException zero) {
            if (a > 4_000) {
                return -1; // goal: reached
            }
            return 0;
        }
    }
}
