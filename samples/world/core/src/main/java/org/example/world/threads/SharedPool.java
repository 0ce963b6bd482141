package org.example.world.threads;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A static pool with daemon threads that lives as long as its class. */
public class SharedPool {

    private static final ExecutorService POOL = Executors.newFixedThreadPool(2, task -> {
        Thread thread = new Thread(task, "shared");
        thread.setDaemon(true);
        return thread;
    });

    public static int power(int base, int exponent) throws InterruptedException, ExecutionException {
        if (exponent < 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("exponent: " + exponent);
        }
        return POOL.submit(() -> compute(base, exponent)).get();
    }

    private static int compute(int base, int exponent) {
        int result = 1;
        for (int i = 0; i < exponent && i < 32; i++) { // feasible: 4 of 4
            result *= base;
        }
        return result;
    }
}
