// Feature: the bits of a float
package samples.guards;

public class FloatBits {
    public static boolean isTagged(float value) {
        int bits = Float.floatToIntBits(value);
        if ((bits >>> 23 & 0xFF) == 200 && (bits & 0x7FFFFF) == 0x1CAFE) {
            return true; // goal: reached
        }
        return false;
    }
}
