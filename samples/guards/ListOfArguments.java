// Feature: a list that the caller gives
package samples.guards;

import java.util.List;

public class ListOfArguments {
    public static boolean alternates(List<Integer> numbers) {
        if (numbers.size() < 2) {
            return false;
        }
        int last = 0;
        for (int number : numbers) {
            last = number - last;
        }
        if (last == 9_753 && numbers.get(0) > 600) {
            return true; // goal: reached
        }
        return false;
    }
}
