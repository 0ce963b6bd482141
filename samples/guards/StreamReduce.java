// Feature: a stream of boxes: filter, map, reduce
package samples.guards;

import java.util.List;

public class StreamReduce {
    public static boolean multiplies(int a, int b, int c) {
        int product = List.of(a, b, c).stream().filter(x -> x % 2 != 0).map(x -> x + 1).reduce(1, (x, y) -> x * y);
        if (product == 48_620 && a > 50 && b > 50) {
            return true; // goal: reached
        }
        return false;
    }
}
