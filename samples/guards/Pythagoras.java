// Feature: non-linear arithmetic over three ints
package samples.guards;

public class Pythagoras {
    public static boolean isTriple(int a, int b, int c) {
        if (a <= 0 || b <= a || c > 1000 || b > 1000) {
            return false;
        }
        if (a * a + b * b == c * c && a > 20) {
            return true; // goal: reached
        }
        return false;
    }
}
