// Feature: a machine driven by an array of codes
package samples.guards;

public class StateMachine {
    public static boolean accepts(int[] codes) {
        int state = 0;
        for (int code : codes) {
            switch (state) {
                case 0 -> state = code == 104 ? 1 : 0;
                case 1 -> state = code == 2_002 ? 2 : 0;
                case 2 -> state = code % 50 == 33 ? 3 : 1;
                default -> state = code < 0 ? state : 0;
            }
        }
        if (state == 3) {
            return true; // goal: reached
        }
        return false;
    }
}
