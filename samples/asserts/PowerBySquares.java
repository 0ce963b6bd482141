// Idea: a power is computed by halving the exponent
// Verdict: right, the halves multiply to the whole power; paths: few
package samples.asserts;

public class PowerBySquares {

    static int power(int base, int exponent) {
        if (exponent == 0) {
            return 1;
        }
        int half = power(base, exponent / 2);
        return exponent % 2 == 0 ? half * half : half * half * base;
    }

    public static void main(String[] args) {
        int exponent = Inputs.nextInt();
        if (exponent < 0 || exponent > 10) {
            return;
        }
        int result = power(2, exponent);
        assert result == 1 << exponent;
        assert power(-1, exponent) == (exponent % 2 == 0 ? 1 : -1);
    }
}
