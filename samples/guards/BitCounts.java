// Feature: Integer.bitCount and numberOfLeadingZeros
package samples.guards;

public class BitCounts {
    public static boolean isSparse(int word) {
        if (Integer.numberOfLeadingZeros(word) == 9 && Integer.bitCount(word) == 5 && (word & 0xFF) == 0x5A) {
            return true; // goal: reached
        }
        return false;
    }
}
