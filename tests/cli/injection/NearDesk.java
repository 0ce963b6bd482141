package injection;

import jakarta.inject.Inject;
import org.springframework.beans.factory.annotation.Value;

/** Fields that a test in the package writes. */
public class NearDesk {
    @Inject
    Stocks stocks;
    @Value("${limit}")
    protected long limit;

    /** Whether there are enough. */
    public boolean hasEnough(String item) {
        return stocks.find(item).orElse(0) > limit;
    }
}
