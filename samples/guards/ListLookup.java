// Feature: an ArrayList that is built, searched and changed
package samples.guards;

import java.util.ArrayList;
import java.util.List;

public class ListLookup {
    public static boolean rearranges(int a, int b, int c) {
        List<Integer> list = new ArrayList<>();
        list.add(a);
        list.add(b);
        list.add(1, c);
        list.remove(Integer.valueOf(321));
        if (list.size() == 2 && list.indexOf(b) == 0 && list.get(1) == 654) {
            return true; // goal: reached
        }
        return false;
    }
}
