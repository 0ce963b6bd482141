// Feature: casts of large doubles, which saturate
package samples.guards;

public class SaturatingCast {
    public static String clamp(double value) {
        int small = (int) value;
        long large = (long) value;
        if (small == Integer.MAX_VALUE && large == 1L << 40) {
            return "large"; // goal: reached
        }
        return "small";
    }
}
