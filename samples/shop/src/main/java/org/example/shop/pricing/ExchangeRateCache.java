package org.example.shop.pricing;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The rates of the last hours, shared by all parts of the application. */
public final class ExchangeRateCache {

    private static final Duration LIFETIME = Duration.ofHours(6);
    private static final int CAPACITY = 50;

    private static ExchangeRateCache instance;
    private static int hits;
    private static int misses;

    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private ExchangeRateCache() {
    }

    public static synchronized ExchangeRateCache getInstance() {
        if (instance == null) {
            instance = new ExchangeRateCache();
        }
        return instance;
    }

    public static synchronized void reset() {
        instance = null;
        hits = 0;
        misses = 0;
    }

    public static synchronized int hitRate() {
        int all = hits + misses;
        return all == 0 ? 0 : 100 * hits / all;
    }

    public synchronized Optional<BigDecimal> get(String from, String to, Instant now) {
        Entry entry = entries.get(from + to);
        if (entry == null) {
            misses++;
            return Optional.empty();
        }
        if (entry.stored.plus(LIFETIME).isBefore(now)) {
            entries.remove(from + to);
            misses++;
            return Optional.empty();
        }
        hits++;
        return Optional.of(entry.rate);
    }

    public synchronized void put(String from, String to, BigDecimal rate, Instant now) {
        if (entries.size() >= CAPACITY && !entries.containsKey(from + to)) {
            entries.remove(entries.keySet().iterator().next());
        }
        entries.put(from + to, new Entry(rate, now));
    }

    public synchronized int size() {
        return entries.size();
    }

    private static final class Entry {
        private final BigDecimal rate;
        private final Instant stored;

        Entry(BigDecimal rate, Instant stored) {
            this.rate = rate;
            this.stored = stored;
        }
    }
}
