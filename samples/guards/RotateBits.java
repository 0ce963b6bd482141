// Feature: Integer.rotateLeft and Integer.reverse
package samples.guards;

public class RotateBits {
    public static boolean matches(int word) {
        if (Integer.rotateLeft(word, 13) + Integer.rotateRight(word, 5) == 0x3EBF_E9F4 && (word & 7) == 5) {
            return true; // goal: reached
        }
        return false;
    }
}
