// Idea: a stream and a loop add up the same numbers
// Verdict: right, both add the same int values in the same order; paths: many
package samples.asserts;

import java.util.ArrayList;
import java.util.List;

public class StreamSum {

    public static void main(String[] args) {
        int length = Inputs.nextByte();
        List<Integer> numbers = new ArrayList<>();
        int sum = 0;
        int positive = 0;
        for (int i = 0; i < length; i++) {
            int number = Inputs.nextInt();
            numbers.add(number);
            sum += number;
            if (number > 0) {
                positive++;
            }
        }
        assert numbers.stream().mapToInt(n -> n).sum() == sum;
        assert numbers.stream().filter(n -> n > 0).count() == positive;
        assert numbers.size() == Math.max(length, 0);
    }
}
