// Feature: interfaces with default methods, of which one is overridden
package samples.guards;

public class DefaultMethods {
    interface Scale {
        int factor();

        default int apply(int value) {
            return value * factor() + 1;
        }
    }

    record Plain(int factor) implements Scale { }

    record Odd(int factor) implements Scale {
        @Override
        public int apply(int value) {
            return Scale.super.apply(value) | 1;
        }
    }

    public static boolean fits(boolean odd, int factor, int value) {
        Scale scale = odd ? new Odd(factor) : new Plain(factor);
        if (scale.apply(value) == 7_007 && factor > 30 && value > 30) {
            return true; // goal: reached
        }
        return false;
    }
}
