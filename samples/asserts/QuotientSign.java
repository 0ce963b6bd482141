// Idea: the quotient of two negative numbers can be negative
// Verdict: wrong, -2147483648, -1
package samples.asserts;

public class QuotientSign {

    static int sign(int value) {
        if (value > 0) {
            return 1;
        }
        return value < 0 ? -1 : 0;
    }

    public static void main(String[] args) {
        int dividend = Inputs.nextInt();
        int divisor = Inputs.nextInt();
        if (divisor == 0) {
            return;
        }
        int quotient = dividend / divisor;
        int expected = sign(dividend) * sign(divisor);
        if (quotient != 0) {
            assert sign(quotient) == expected : "the sign of the quotient is wrong";
        }
    }
}
