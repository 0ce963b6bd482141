// Feature: casts to byte, short and char
package samples.guards;

public class NarrowCasts {
    public static String narrow(int value) {
        byte low = (byte) value;
        short half = (short) (value >> 3);
        char unit = (char) (value >> 11);
        if (low == -77 && half == -12_010 && unit == 0xBED1) {
            return "narrow"; // goal: reached
        }
        return "wide";
    }
}
