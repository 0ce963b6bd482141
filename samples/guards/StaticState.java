// Feature: what one call leaves in a static field for the next
package samples.guards;

public class StaticState {
    private static int total;

    public static boolean add(int amount) {
        if (amount > 0 && amount < 1_000) {
            total += amount;
        }
        if (total == 1_492) {
            return true; // goal: reached
        }
        return false;
    }
}
