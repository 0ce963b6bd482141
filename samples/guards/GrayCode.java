// Feature: xor with the shifted self
package samples.guards;

public class GrayCode {
    public static int decode(int position) {
        int gray = position ^ position >>> 1;
        if (gray == 0x2F0C_1177) {
            return position; // goal: reached
        }
        return 0;
    }
}
