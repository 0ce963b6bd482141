// Feature: writing at indices that inputs decide
package samples.guards;

public class IndexWrite {
    public static boolean fill(int a, int b, int c) {
        int[] slots = new int[12];
        slots[Math.floorMod(a, 12)] = 40;
        slots[Math.floorMod(b, 12)] += 2;
        slots[Math.floorMod(c, 12)] *= 3;
        if (slots[7] == 126 && a > 100 && b > a && c > b) {
            return true; // goal: reached
        }
        return false;
    }
}
