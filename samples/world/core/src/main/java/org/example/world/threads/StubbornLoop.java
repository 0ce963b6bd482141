package org.example.world.threads;

/** A loop without end that ignores interruption. */
public class StubbornLoop {

    private volatile boolean stopped;
    private volatile long rounds;

    /** Starts a daemon thread that runs until {@link #stop}. */
    public Thread start() {
        Thread thread = new Thread(this::spin, "stubborn");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void spin() {
        while (!stopped) { // environment: the scheduler
            rounds = Math.max(1, rounds + 1);
        }
    }

    /** Runs until another thread stops it. */
    public void spinHere(int mode) {
        if (mode == 7) { // feasible: 2 of 2
            spin();
        }
    }

    public void stop() {
        stopped = true;
    }

    public String state(int limit) {
        if (limit < 0) { // feasible: 2 of 2
            return "unlimited";
        }
        return stopped ? "stopped" : "running"; // feasible: 2 of 2
    }
}
