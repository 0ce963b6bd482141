package injection;

import java.util.Map;

/** Works with a client that answers in steps, and takes any number of arguments. */
public class RateDesk {
    /** An interface that makes an object of itself. */
    public interface Client {
        static Client create() {
            throw new IllegalStateException("no network");
        }

        Request get();
    }

    public interface Request {
        Request uri(String address, Object... variables);

        Request uri(String address, Map<String, ?> variables);

        Request uri(String address, String host, int port);

        <T> T body(Class<T> type);
    }

    public record Rates(String base, double rate) {}

    private final Client client;

    public RateDesk(Client client) {
        this.client = client;
    }

    public double rate(String from, String to) {
        Rates rates = client.get().uri("rates/{from}/{to}", from, to).body(Rates.class);
        if (rates == null) {
            throw new IllegalArgumentException("no rate of " + from);
        }
        return rates.rate();
    }
}
