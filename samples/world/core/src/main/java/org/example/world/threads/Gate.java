package org.example.world.threads;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits until other threads have counted down. */
public class Gate {

    private final CountDownLatch latch;

    public Gate(int count) {
        if (count > 10) { // feasible: 2 of 2
            throw new IllegalArgumentException("count: " + count);
        }
        latch = new CountDownLatch(count);
    }

    public void arrive() {
        latch.countDown();
    }

    public void arriveLater(int threads) {
        for (int i = 0; i < threads && i < 10; i++) { // feasible: 4 of 4
            new Thread(this::arrive).start();
        }
    }

    public boolean pass(int millis) throws InterruptedException {
        if (millis > 500) { // feasible: 2 of 2
            return false;
        }
        return latch.await(millis, TimeUnit.MILLISECONDS);
    }

    public String state() {
        return latch.getCount() == 0 ? "open" : "closed"; // feasible: 2 of 2
    }
}
