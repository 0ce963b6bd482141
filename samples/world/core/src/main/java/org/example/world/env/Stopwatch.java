package org.example.world.env;

/** Measures by the monotonic clock of the system. */
public class Stopwatch {

    private long start;
    private boolean running;

    public void start() {
        if (running) { // feasible: 2 of 2
            throw new IllegalStateException("runs already");
        }
        running = true;
        start = System.nanoTime();
    }

    public long stop() {
        if (!running) { // feasible: 2 of 2
            throw new IllegalStateException("does not run");
        }
        running = false;
        return System.nanoTime() - start;
    }

    public boolean isSlow(long limitNanos) {
        return running && System.nanoTime() - start > limitNanos; // environment: elapsed time
    }

    public static String format(long nanos) {
        if (nanos < 0) { // feasible: 2 of 2
            return "-";
        }
        return nanos >= 1_000_000 ? nanos / 1_000_000 + " ms" : nanos + " ns"; // feasible: 2 of 2
    }
}
