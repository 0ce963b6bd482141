// Idea: a map counts how often each of three numbers occurs
// Verdict: right, each number adds one to one count; paths: few
package samples.asserts;

import java.util.HashMap;
import java.util.Map;

public class MapCounts {

    public static void main(String[] args) {
        int[] numbers = {Inputs.nextInt(), Inputs.nextInt(), Inputs.nextInt()};
        for (int number : numbers) {
            if (number < 0 || number > 3) {
                return;
            }
        }
        Map<Integer, Integer> counts = new HashMap<>();
        for (int number : numbers) {
            counts.merge(number, 1, Integer::sum);
        }
        int total = 0;
        for (int count : counts.values()) {
            assert count >= 1;
            total += count;
        }
        assert total == 3;
        assert counts.containsKey(numbers[2]);
        assert (counts.get(numbers[0]) == 3) == (counts.size() == 1);
    }
}
