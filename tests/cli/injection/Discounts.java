package injection;

import org.springframework.stereotype.Service;

/** A service of class type without collaborators of its own. */
@Service
public class Discounts {
    /** The discount for an item. */
    public int percent(String item) {
        return item.length() > 3 ? 10 : 0;
    }
}
