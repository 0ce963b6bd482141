// Idea: two bounds are put in order before a constructor checks them
// Verdict: right, the smaller bound always comes first; paths: few
package samples.asserts;

public class OrderedBounds {

    static class Bounds {
        final long low;
        final long high;

        Bounds(long low, long high) {
            assert low <= high;
            this.low = low;
            this.high = high;
        }

        boolean contains(long value) {
            return low <= value && value <= high;
        }
    }

    static class Factory {
        static Bounds of(long first, long second) {
            return first <= second ? new Bounds(first, second) : new Bounds(second, first);
        }
    }

    public static void main(String[] args) {
        long first = Inputs.nextLong();
        long second = Inputs.nextLong();
        Bounds bounds = Factory.of(first, second);
        assert bounds.contains(first) && bounds.contains(second);
    }
}
