package injection;

import jakarta.annotation.PostConstruct;
import jakarta.inject.Inject;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Private fields that only a container fills: two of one type, one with type arguments, a class of the JDK. */
public class ShipDesk {
    @Inject
    private Logger logger;
    @Inject
    private Audited.Journal<String> sent;
    @Inject
    private Stocks home;
    @Inject
    private Stocks abroad;

    private String currency;

    /** Ends the construction. */
    @PostConstruct
    public void open() {
        currency = "EUR";
    }

    /** Ships an item from where there is enough. */
    public String ship(Parcel parcel) {
        String item = parcel.item();
        logger.log(Level.INFO, "shipping {0}", item);
        int near = home.find(item).orElse(0);
        if (near < abroad.find(item).orElse(0)) {
            return "abroad";
        }
        sent.add(item.trim());
        return near > 0 && "EUR".equals(currency) ? "home for euros" : "home";
    }
}
