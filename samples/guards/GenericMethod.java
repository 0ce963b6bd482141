// Feature: generic code with a bound
package samples.guards;

import java.util.List;

public class GenericMethod {
    private static <T extends Comparable<T>> T largest(List<T> items) {
        T best = items.get(0);
        for (T item : items) {
            if (item.compareTo(best) > 0) {
                best = item;
            }
        }
        return best;
    }

    public static boolean wins(int a, int b, int c) {
        if (largest(List.of(a, b, c)) == b && b == a + c && a > 4_000 && c > 17) {
            return true; // goal: reached
        }
        return false;
    }
}
