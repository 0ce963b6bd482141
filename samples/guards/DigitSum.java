// Feature: a loop over the digits of a number
package samples.guards;

public class DigitSum {
    public static boolean isHeavy(int number) {
        int sum = 0;
        for (int rest = number; rest > 0; rest /= 10) {
            sum += rest % 10;
        }
        if (sum == 67) {
            return true; // goal: reached
        }
        return false;
    }
}
