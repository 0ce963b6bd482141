// Feature: a HashMap with strings for keys
package samples.guards;

import java.util.HashMap;
import java.util.Map;

public class HashMapText {
    private final Map<String, Integer> prices = new HashMap<>();

    public HashMapText() {
        prices.put("tea", 310);
        prices.put("coffee", 420);
        prices.put("water", 150);
    }

    public boolean costs(String order, int count) {
        Integer price = prices.get(order.substring(1));
        if (price != null && price * count == 2_940 && order.charAt(0) == '+') {
            return true; // goal: reached
        }
        return false;
    }
}
