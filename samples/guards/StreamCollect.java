// Feature: a stream that is collected and sorted
package samples.guards;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

public class StreamCollect {
    public static boolean sorts(int a, int b, int c) {
        List<Integer> sorted = Stream.of(a, b, c).filter(x -> x >= 0).sorted().collect(Collectors.toList());
        if (sorted.size() == 2 && sorted.get(0) == 1_066 && sorted.get(1) == b + 1) {
            return true; // goal: reached
        }
        return false;
    }
}
