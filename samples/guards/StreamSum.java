// Feature: a stream of given ints: filter, map, sum
package samples.guards;

import java.util.stream.IntStream;

public class StreamSum {
    public static boolean adds(int a, int b, int c) {
        int sum = IntStream.of(a, b, c).filter(x -> x > 100).map(x -> x / 2).sum();
        if (sum == 777 && a < 100 && b > c) {
            return true; // goal: reached
        }
        return false;
    }
}
