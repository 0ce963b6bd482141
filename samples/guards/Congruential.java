// Feature: one step of a random number generator, turned back
package samples.guards;

public class Congruential {
    public static boolean isLucky(long seed) {
        long next = (seed ^ 0x5DEE_CE66DL) * 0x5DEE_CE66DL + 0xBL & (1L << 48) - 1;
        if ((int) (next >>> 16) == 777_777) {
            return true; // goal: reached
        }
        return false;
    }
}
