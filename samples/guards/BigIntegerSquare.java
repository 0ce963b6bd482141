// Feature: BigInteger arithmetic
package samples.guards;

import java.math.BigInteger;

public class BigIntegerSquare {
    public static boolean isRoot(long x) {
        BigInteger big = BigInteger.valueOf(x);
        if (x > 0 && big.multiply(big).subtract(BigInteger.ONE).equals(new BigInteger("15241578750190520"))) {
            return true; // goal: reached
        }
        return false;
    }
}
