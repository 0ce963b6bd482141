// Idea: the end of a range overflows and a constructor notices it
// Verdict: wrong, 2147483600, 48
package samples.asserts;

public class RangeRule {

    static class Range {
        final int start;
        final int end;

        Range(int start, int end) {
            assert start <= end : "the range ends before it starts";
            this.start = start;
            this.end = end;
        }
    }

    static class Planner {
        Range plan(int start, int length) {
            return new Range(start, start + length);
        }
    }

    static class Task {
        private final Planner planner = new Planner();

        void run() {
            int start = Inputs.nextInt();
            int length = Inputs.nextInt();
            if (length < 0 || length > 100) {
                return;
            }
            planner.plan(start, length);
        }
    }

    public static void main(String[] args) {
        new Task().run();
    }
}
