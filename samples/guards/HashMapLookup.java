// Feature: a HashMap from ints to ints
package samples.guards;

import java.util.HashMap;
import java.util.Map;

public class HashMapLookup {
    public static boolean finds(int key, int value) {
        Map<Integer, Integer> map = new HashMap<>();
        map.put(17, 4);
        map.put(4_242, 5);
        map.put(key * 2, value);
        Integer found = map.get(4_242);
        if (found == 99 && map.size() == 2) {
            return true; // goal: reached
        }
        return false;
    }
}
