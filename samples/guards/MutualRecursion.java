// Feature: two methods that call each other
package samples.guards;

public class MutualRecursion {
    private static int even(int n, int sum) {
        return n <= 0 ? sum : odd(n / 2, sum + n % 10);
    }

    private static int odd(int n, int sum) {
        return n <= 0 ? -sum : even(n - 3, sum * 2);
    }

    public static boolean ends(int n) {
        if (n > 200 && n < 5_000 && even(n, 0) == -5_887) {
            return true; // goal: reached
        }
        return false;
    }
}
