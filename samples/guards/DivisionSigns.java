// Feature: quotient and remainder of negative numbers
package samples.guards;

public class DivisionSigns {
    public static int check(int a, int b) {
        if (b > 100 && a / b == -7 && a % b == -93) {
            return a; // goal: reached
        }
        return b;
    }
}
