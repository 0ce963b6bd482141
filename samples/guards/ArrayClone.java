// Feature: a clone that is changed leaves the original as it was
package samples.guards;

public class ArrayClone {
    public static boolean differs(int[] data, int delta) {
        if (data.length < 2) {
            return false;
        }
        int[] copy = data.clone();
        copy[1] += delta;
        if (copy[1] == 5_000 && data[1] == 4_321 && copy[0] == data[0]) {
            return true; // goal: reached
        }
        return false;
    }
}
