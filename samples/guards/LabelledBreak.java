// Feature: a loop left from within another
package samples.guards;

public class LabelledBreak {
    public static boolean finds(int target) {
        int i;
        int j = 0;
        outer:
        for (i = 1; i < 12; i++) {
            for (j = i; j < 12; j++) {
                if (i * i * 100 + j * 7 == target) {
                    break outer;
                }
            }
        }
        if (i == 6 && j == 9) {
            return true; // goal: reached
        }
        return false;
    }
}
