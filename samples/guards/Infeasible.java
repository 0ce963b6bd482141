// Feature: conditions that exclude each other
package samples.guards;

public class Infeasible {
    public static boolean never(int x) {
        if (x * x % 4 == 2) {
            return true; // goal: infeasible, a square leaves 0 or 1 over 4
        }
        return false;
    }
}
