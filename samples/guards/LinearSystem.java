// Feature: three equations of three unknowns
package samples.guards;

public class LinearSystem {
    public static boolean solves(int x, int y, int z) {
        if (3 * x + 2 * y - z == 1001 && x - y + 4 * z == 296 && 2 * x + 5 * y + z == 1299) {
            return true; // goal: reached
        }
        return false;
    }
}
