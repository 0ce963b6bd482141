package garage;

import java.util.HashMap;
import java.util.Map;

/** Who is in, since when. */
public class Garage {
    private final int places;
    private final Tariff tariff;
    private final Map<String, Integer> since = new HashMap<>();

    public Garage(int places, Tariff tariff) {
        this.places = places;
        this.tariff = tariff;
    }

    /** @return whether there was a place */
    public boolean enter(String plate, int minute) {
        if (plate == null || since.containsKey(plate)) {
            throw new IllegalStateException("is in already, or has no plate");
        }
        if (since.size() >= places) {
            return false;
        }
        since.put(plate, minute);
        return true;
    }

    /** @return what is to be paid, in cents */
    public int leave(String plate, int minute) {
        Integer came = since.remove(plate);
        if (came == null) {
            throw new IllegalStateException("is not in");
        }
        return tariff.price(minute - came);
    }

    public int freePlaces() {
        return places - since.size();
    }
}
