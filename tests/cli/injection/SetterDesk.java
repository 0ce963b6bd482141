package injection;

import org.springframework.beans.factory.annotation.Autowired;

/** Setters, of which one is marked and not public, and one belongs to a marked field. */
public class SetterDesk {
    private Stocks stocks;
    @Autowired
    private Prices prices;

    @Autowired
    void useStocks(Stocks stocks) {
        this.stocks = stocks;
    }

    /** Sets the collaborator. */
    public void setPrices(Prices prices) {
        this.prices = prices;
    }

    /** The value of all that is left. */
    public int worth(String item) {
        int left = stocks.find(item).orElse(0);
        if (left > 100) {
            return 100 * prices.of(item);
        }
        return left * prices.of(item);
    }
}
