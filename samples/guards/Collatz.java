// Feature: the number of rounds of a loop
package samples.guards;

public class Collatz {
    public static boolean takesLong(int start) {
        if (start < 50 || start > 5_000) {
            return false;
        }
        int rounds = 0;
        for (int n = start; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) {
            rounds++;
        }
        if (rounds == 11) {
            return true; // goal: reached
        }
        return false;
    }
}
