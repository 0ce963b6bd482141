// Idea: a static counter is set back at the start of main
// Verdict: right, no count is left over from an earlier call; paths: few
package samples.asserts;

public class CounterReset {

    static class Counter {
        private static int count = 0;

        static void reset() {
            count = 0;
        }

        static void countIf(boolean condition) {
            if (condition) {
                count++;
            }
        }
    }

    public static void main(String[] args) {
        Counter.reset();
        int first = Inputs.nextInt();
        int second = Inputs.nextInt();
        Counter.countIf(first < second);
        Counter.countIf(second < first);
        Counter.countIf(first == second);
        assert Counter.count == 1;
    }
}
