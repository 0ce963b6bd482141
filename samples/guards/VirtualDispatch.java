// Feature: a method that several classes override
package samples.guards;

public class VirtualDispatch {
    abstract static class Tax {
        abstract int of(int sum);
    }

    static class Flat extends Tax {
        @Override
        int of(int sum) {
            return 50;
        }
    }

    static class Share extends Tax {
        @Override
        int of(int sum) {
            return sum / 5;
        }
    }

    static class Capped extends Share {
        @Override
        int of(int sum) {
            return Math.min(super.of(sum), 1_999);
        }
    }

    public static boolean owes(int kind, int sum) {
        Tax[] taxes = {new Flat(), new Share(), new Capped()};
        int tax = taxes[Math.floorMod(kind, 3)].of(sum);
        if (tax == 1_998 && kind == 302) {
            return true; // goal: reached
        }
        return false;
    }
}
