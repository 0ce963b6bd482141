// Feature: BigDecimal, scale and comparison
package samples.guards;

import java.math.BigDecimal;

public class DecimalScale {
    public static boolean isTotal(long cents, int count) {
        BigDecimal total = BigDecimal.valueOf(cents, 2).multiply(BigDecimal.valueOf(count));
        if (count > 5 && total.compareTo(new BigDecimal("1234.31")) == 0) {
            return true; // goal: reached
        }
        return false;
    }
}
