// Idea: a remainder is moved into the range from zero to the divisor
// Verdict: right, a negative remainder is above the negated divisor; paths: few
package samples.asserts;

public class FloorRemainder {

    static int remainder(int value, int divisor) {
        int result = value % divisor;
        if (result < 0) {
            result += divisor;
        }
        return result;
    }

    public static void main(String[] args) {
        int value = Inputs.nextInt();
        int divisor = Inputs.nextInt();
        if (divisor < 1 || divisor > 16) {
            return;
        }
        int result = remainder(value, divisor);
        assert result >= 0 && result < divisor;
        long rest = (long) value - result;
        assert rest % divisor == 0;
    }
}
