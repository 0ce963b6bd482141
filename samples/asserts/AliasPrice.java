// Idea: one other name leads to a product that has no price
// Verdict: wrong, "mate"
package samples.asserts;

import java.util.HashMap;
import java.util.Map;

public class AliasPrice {

    private final Map<String, String> products = new HashMap<>();
    private final Map<String, Integer> prices = new HashMap<>();

    AliasPrice() {
        products.put("chai", "tea");
        products.put("mocha", "coffee");
        products.put("mate", "herbs");
        prices.put("tea", 3);
        prices.put("coffee", 4);
    }

    int price(String name) {
        if (!products.containsKey(name)) {
            return 0;
        }
        return prices.get(products.get(name));
    }

    public static void main(String[] args) {
        String name = Inputs.nextString();
        int price = new AliasPrice().price(name);
        assert price >= 0 && price <= 4;
    }
}
