// Feature: System.arraycopy with offsets that inputs decide
package samples.guards;

public class ArrayCopying {
    public static boolean shift(int from, int to, int count) {
        int[] source = {10, 20, 30, 40, 50, 60, 70, 80};
        int[] target = new int[8];
        if (from < 0 || to < 0 || count < 1 || from + count > 8 || to + count > 8) {
            return false;
        }
        System.arraycopy(source, from, target, to, count);
        if (target[2] == 50 && target[4] == 70 && target[5] == 0 && target[1] == 0) {
            return true; // goal: reached
        }
        return false;
    }
}
