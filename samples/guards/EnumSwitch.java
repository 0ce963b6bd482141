// Feature: a switch on an enum
package samples.guards;

public class EnumSwitch {
    public enum Gear { REVERSE, NEUTRAL, FIRST, SECOND, THIRD }

    public static int speed(Gear from, Gear to, int revolutions) {
        int ratio = switch (from) {
            case REVERSE -> -30;
            case NEUTRAL -> 0;
            case FIRST -> 31;
            case SECOND -> 52;
            case THIRD -> 73;
        };
        if (from.compareTo(to) > 0 && ratio * revolutions == 52 * 1_117) {
            return to.ordinal(); // goal: reached
        }
        return -1;
    }
}
