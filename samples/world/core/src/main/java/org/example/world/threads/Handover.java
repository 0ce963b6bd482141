package org.example.world.threads;

/** Hands a value to another thread with wait and notify. */
public class Handover {

    private String value;

    public synchronized void put(String next) {
        if (value != null) { // feasible: 2 of 2
            throw new IllegalStateException("full");
        }
        if (next == null) { // feasible: 2 of 2
            throw new IllegalArgumentException("nothing");
        }
        value = next;
        notifyAll();
    }

    /** Waits without limit for a value. */
    public synchronized String take() throws InterruptedException {
        while (value == null) { // feasible: 2 of 2
            wait();
        }
        String taken = value;
        value = null;
        return taken;
    }

    public void putLater(String next) {
        Thread thread = new Thread(() -> put(next), "handover");
        thread.start();
    }

    public synchronized boolean isEmpty() {
        return value == null; // feasible: 2 of 2
    }
}
