package injection;

import org.springframework.beans.factory.annotation.Autowired;

/** A collaborator of class type, whose result decides. */
public class SaleDesk {
    @Autowired
    private Discounts discounts;

    /** What an item costs after the discount. */
    public int price(String item, int full) {
        int percent = discounts.percent(item);
        if (percent == 55) {
            return full / 2;
        }
        return full - full * percent / 100;
    }
}
