package org.example.world.threads;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A scheduled executor that beats until it is stopped. */
public class Heartbeat {

    private final AtomicInteger beats = new AtomicInteger();
    private ScheduledExecutorService executor;

    public void start(int periodMillis) {
        if (periodMillis < 1) { // feasible: 2 of 2
            throw new IllegalArgumentException("period: " + periodMillis);
        }
        if (executor != null) { // feasible: 2 of 2
            throw new IllegalStateException("started already");
        }
        executor = Executors.newSingleThreadScheduledExecutor();
        executor.scheduleAtFixedRate(beats::incrementAndGet, 0, periodMillis, TimeUnit.MILLISECONDS);
    }

    public boolean isAlive() {
        return executor != null && !executor.isShutdown(); // feasible: 3 of 4, infeasible: it is null then
    }

    public String health(int expected) {
        if (expected < 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("expected: " + expected);
        }
        return beats.get() >= expected ? "good" : "late"; // feasible: 2 of 2
    }

    public void stop() {
        if (executor != null) { // feasible: 2 of 2
            executor.shutdownNow();
            executor = null;
        }
    }
}
