// Feature: two factors of a product
package samples.guards;

public class Factors {
    public static boolean splits(int small, int large) {
        if (small > 1 && large > small && large < 65_536 && small * large == 10_403 * 3) {
            return small > 3; // goal: reached
        }
        return false;
    }
}
