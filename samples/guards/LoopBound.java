// Feature: a loop as long as the input says
package samples.guards;

public class LoopBound {
    public static boolean sums(int n) {
        int sum = 0;
        for (int i = 1; i <= n && i < 200; i++) {
            sum += i * i;
        }
        if (sum == 9_455) {
            return true; // goal: reached
        }
        return false;
    }
}
