package org.example.world.state;

import java.util.HashMap;
import java.util.Map;

/** Exchange rates in a static map. */
public class RateTable {

    private static final Map<String, Integer> RATES = new HashMap<>(Map.of("EUR", 100, "USD", 110));

    public static void put(String currency, int rate) {
        if (currency.length() != 3) { // feasible: 2 of 2
            throw new IllegalArgumentException("not a currency: " + currency);
        }
        if (rate <= 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("rate: " + rate);
        }
        RATES.put(currency, rate);
    }

    public static int rate(String currency) {
        Integer rate = RATES.get(currency);
        return rate == null ? -1 : rate; // feasible: 2 of 2
    }

    public static int convert(int cents, String from, String to) {
        int source = rate(from);
        int target = rate(to);
        if (source < 0 || target < 0) { // feasible: 4 of 4
            return 0;
        }
        return (int) ((long) cents * target / source);
    }

    public static int size() {
        return RATES.size();
    }

    public static void restore() {
        RATES.clear();
        RATES.putAll(Map.of("EUR", 100, "USD", 110));
    }
}
