package org.example.world.threads;

/** A loop without end that honours interruption. */
public class PollingLoop {

    private volatile int rounds;

    public Thread start(String name) {
        if (name.isEmpty()) { // feasible: 2 of 2
            throw new IllegalArgumentException("no name");
        }
        Thread thread = new Thread(this::poll, name);
        thread.start();
        return thread;
    }

    /** Runs until the thread is interrupted. */
    public void poll() {
        while (!Thread.currentThread().isInterrupted()) { // feasible: 2 of 2
            rounds = Math.max(1, rounds + 1);
            Thread.yield();
        }
    }

    public boolean hasPolled() {
        return rounds > 0; // environment: the scheduler
    }

    public static int backoff(int failures) {
        if (failures <= 0) { // feasible: 2 of 2
            return 0;
        }
        return failures > 5 ? 1000 : 10 << failures; // feasible: 2 of 2
    }
}
