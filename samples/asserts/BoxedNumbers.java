// Idea: two equal numbers in a list are compared as objects
// Verdict: wrong, 1000, 1000
package samples.asserts;

import java.util.ArrayList;
import java.util.List;

public class BoxedNumbers {

    static boolean allSame(List<Integer> numbers) {
        for (int i = 1; i < numbers.size(); i++) {
            if (numbers.get(i) != numbers.get(0)) {
                return false;
            }
        }
        return true;
    }

    public static void main(String[] args) {
        int first = Inputs.nextInt();
        int second = Inputs.nextInt();
        List<Integer> numbers = new ArrayList<>();
        numbers.add(first);
        numbers.add(second);
        assert allSame(numbers) == (first == second);
    }
}
