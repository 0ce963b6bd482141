// Feature: recursion
package samples.guards;

public class GreatestDivisor {
    private static int divisor(int a, int b) {
        return b == 0 ? a : divisor(b, a % b);
    }

    public static boolean isSpecial(int a, int b) {
        if (a > b && b > 40 && divisor(a, b) == 37) {
            return true; // goal: reached
        }
        return false;
    }
}
