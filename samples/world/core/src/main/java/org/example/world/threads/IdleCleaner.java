package org.example.world.threads;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A daemon thread that only waits until there is work. */
public class IdleCleaner {

    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();

    public IdleCleaner() {
        Thread thread = new Thread(this::loop, "idle cleaner");
        thread.setDaemon(true);
        thread.start();
    }

    private void loop() {
        try {
            while (true) {
                work.take().run();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    public void clean(Runnable task) {
        if (task == null) { // feasible: 2 of 2
            throw new IllegalArgumentException("no task");
        }
        work.add(task);
    }

    public static int share(int total, int parts) {
        if (parts == 0) { // feasible: 2 of 2
            return total;
        }
        return total % parts == 0 ? total / parts : total / parts + 1; // feasible: 2 of 2
    }
}
