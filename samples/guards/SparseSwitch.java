// Feature: a switch over ints far apart, and one over neighbours
package samples.guards;

public class SparseSwitch {
    public static int decode(int code) {
        int kind;
        switch (code ^ 0x55) {
            case -90_000 -> kind = 1;
            case 77 -> kind = 2;
            case 1_000_003 -> kind = 3;
            default -> kind = 7;
        }
        switch (kind * 3 + (code >>> 31)) {
            case 3:
                return 10;
            case 4:
                return 20; // goal: reached
            case 5:
            case 6:
                return 30;
            default:
                return 0;
        }
    }
}
