// Feature: a function that the test gives
package samples.guards;

import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;

public class CallbackArgument {
    public static boolean agrees(IntSupplier supplier, ToIntFunction<String> weigh) {
        if (supplier.getAsInt() == 31_337 && weigh.applyAsInt("x") * 3 == 963) {
            return true; // goal: reached
        }
        return false;
    }
}
