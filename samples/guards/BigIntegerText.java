// Feature: a BigInteger out of a string
package samples.guards;

import java.math.BigInteger;

public class BigIntegerText {
    public static boolean isKey(String digits) {
        BigInteger key = new BigInteger(digits);
        if (key.signum() < 0 && key.negate().mod(BigInteger.valueOf(1_000)).intValue() == 321) {
            return true; // goal: reached
        }
        return false;
    }
}
