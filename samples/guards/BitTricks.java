// Feature: powers of two and the lowest bit that is set
package samples.guards;

public class BitTricks {
    public static int classify(int flags) {
        int lowest = flags & -flags;
        int rest = flags & flags - 1;
        if (lowest == 1 << 11 && (rest & rest - 1) == 0 && rest > 1 << 25) {
            return rest; // goal: reached
        }
        return 0;
    }
}
