// Idea: a change in finally does not change the value that is returned
// Verdict: wrong, 200, 0
package samples.asserts;

public class FinallyEffect {

    static int divide(int dividend, int divisor) {
        int result = 0;
        try {
            result = dividend / divisor;
            return result;
        } catch (ArithmeticException e) {
            result = -1;
            return result;
        } finally {
            if (divisor == 0) {
                result = Integer.MAX_VALUE;
            }
        }
    }

    public static void main(String[] args) {
        int dividend = Inputs.nextInt();
        int divisor = Inputs.nextInt();
        if (dividend < 100 || divisor < 0) {
            return;
        }
        int result = divide(dividend, divisor);
        assert result >= 0 : "two numbers without a sign gave " + result;
    }
}
