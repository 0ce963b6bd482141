package injection;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;

/** Private fields of every kind, and one in the superclass. */
public class OrderDesk extends Audited<String> {
    @Autowired
    private Stocks stocks;
    @Value("${limit:10}")
    private int limit;
    @Value("${currency}")
    private String currency;
    @Value("${strict}")
    private boolean strict;

    /** Orders an item. */
    public String order(String item, int count) {
        if (count > limit) {
            throw new IllegalArgumentException("more than " + limit);
        }
        int left = stocks.find(item).orElse(0);
        if (left < count) {
            if (strict) {
                throw new IllegalStateException("only " + left);
            }
            return "waiting";
        }
        stocks.reserve(item, count);
        note(item);
        return "EUR".equals(currency) ? "ordered in the union" : "ordered";
    }
}
