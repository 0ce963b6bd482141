// Feature: try, catch and finally decide together
package samples.guards;

public class FinallyFlow {
    public static int run(int a, int b) {
        int trace = 1;
        try {
            trace = trace * 10 + 2;
            if (a - b == 1_234) {
                throw new IllegalStateException();
            }
            trace = trace * 10 + 3;
        } catch (IllegalStateException expected) {
            trace = trace * 10 + 4;
        } finally {
            trace = trace * 10 + a % 7;
        }
        if (trace == 1_246) {
            return trace; // goal: reached
        }
        return 0;
    }
}
