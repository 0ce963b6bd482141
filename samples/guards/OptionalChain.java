// Feature: Optional with filter, map and orElse
package samples.guards;

import java.util.Optional;

public class OptionalChain {
    public static boolean resolves(int number) {
        int found = Optional.of(number).filter(n -> n > 500).map(n -> n * 3 - 1).filter(n -> n % 7 == 0).orElse(-1);
        if (found > 0 && found < 1_520) {
            return true; // goal: reached
        }
        return false;
    }
}
