// Feature: an invertible mix of xor, shift and multiplication
package samples.guards;

public class HashMix {
    public static String bucket(int key) {
        int hash = key ^ key >>> 15;
        hash *= 0x2C1B_3C6D;
        hash ^= hash >>> 12;
        if (hash == 0x0BAD_CAFE) {
            return "bad"; // goal: reached
        }
        return "good";
    }
}
