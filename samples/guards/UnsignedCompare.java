// Feature: unsigned comparison and division
package samples.guards;

public class UnsignedCompare {
    public static boolean inRange(int address) {
        if (Integer.compareUnsigned(address, 0xC0A8_0000) >= 0 && Integer.compareUnsigned(address, 0xC0A8_FFFF) <= 0
                && Integer.remainderUnsigned(address, 1009) == 3) {
            return true; // goal: reached
        }
        return false;
    }
}
