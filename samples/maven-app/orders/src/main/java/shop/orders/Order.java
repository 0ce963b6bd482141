package shop.orders;

import org.apache.commons.lang3.StringUtils;
import shop.stock.Shelf;

/** So many of one article. */
public final class Order {
    /** How an order ended. */
    public enum State {
        COMPLETE,
        PARTIAL,
        NOTHING
    }

    private final String article;
    private final int count;

    public Order(String article, int count) {
        if (StringUtils.isBlank(article) || count < 1 || count > 1000) {
            throw new IllegalArgumentException("one to a thousand of an article");
        }
        this.article = StringUtils.lowerCase(article.trim());
        this.count = count;
    }

    public State deliver(Shelf shelf) {
        int taken = shelf.take(article, count);
        if (taken == count) {
            return State.COMPLETE;
        }
        return taken == 0 ? State.NOTHING : State.PARTIAL;
    }

    /** In cents; a hundred and more are cheaper by a tenth. */
    public long price(int centsApiece) {
        long price = (long) count * centsApiece;
        return count >= 100 ? price - price / 10 : price;
    }
}
