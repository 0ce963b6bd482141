// Feature: a HashSet and what is in it already
package samples.guards;

import java.util.HashSet;
import java.util.Set;

public class HashSetSizes {
    public static boolean repeats(int a, int b, int c) {
        Set<Integer> seen = new HashSet<>();
        seen.add(a);
        seen.add(b + 500);
        seen.add(c * 3);
        if (seen.size() == 1 && seen.contains(1_233)) {
            return true; // goal: reached
        }
        return false;
    }
}
