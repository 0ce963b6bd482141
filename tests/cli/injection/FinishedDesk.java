package injection;

import org.springframework.beans.factory.annotation.Autowired;

/** A constructor that sets the field. */
public class FinishedDesk {
    @Autowired
    private Prices prices;

    public FinishedDesk(Prices prices) {
        this.prices = prices;
    }

    /** Whether the item costs nothing. */
    public boolean isFree(String item) {
        return prices.of(item) == 0;
    }
}
