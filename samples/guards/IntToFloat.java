// Feature: an int that no float can hold
package samples.guards;

public class IntToFloat {
    public static boolean isLossy(int count) {
        float rounded = count;
        if (count > 0 && (int) rounded - count == 61) {
            return true; // goal: reached
        }
        return false;
    }
}
