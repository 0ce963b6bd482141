// Feature: the index that leaves an array, caught
package samples.guards;

public class BoundsException {
    public static String pick(int a, int b) {
        int[] table = new int[10];
        try {
            table[a * 7 - b] = 1;
            return "stored";
        } catch (ArrayIndexOutOfBoundsException outside) {
            if (a * 7 - b == 10 && a > 50) {
                return "one too far"; // goal: reached
            }
            return "outside";
        }
    }
}
