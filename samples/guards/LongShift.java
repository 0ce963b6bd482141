// Feature: a signed and an unsigned shift of a long
package samples.guards;

public class LongShift {
    public static long field(long word) {
        if (word >> 52 == -3 && word >>> 60 == 15 && (word << 44) >>> 44 == 0xABCDE) {
            return word; // goal: reached
        }
        return 0;
    }
}
