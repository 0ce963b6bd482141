// Feature: lambdas that capture variables
package samples.guards;

import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

public class LambdaCapture {
    public static boolean passes(int low, int factor, int value) {
        IntUnaryOperator scale = x -> x * factor - low;
        IntPredicate window = x -> x > low && x < low + 10;
        if (low > 1_000 && factor > 2 && window.test(scale.applyAsInt(value))) {
            return true; // goal: reached
        }
        return false;
    }
}
