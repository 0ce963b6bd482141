// Feature: a BitSet
package samples.guards;

import java.util.BitSet;

public class BitSetFlags {
    public static boolean marks(int a, int b) {
        BitSet bits = new BitSet();
        if (a < 0 || b < 0 || a > 200 || b > 200) {
            return false;
        }
        bits.set(a);
        bits.set(b);
        if (bits.nextSetBit(100) == 137 && bits.cardinality() == 2 && bits.nextSetBit(0) == 68) {
            return true; // goal: reached
        }
        return false;
    }
}
