package org.example.world.threads;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Counts words with a pool that lives until it is closed. */
public class WordCountPool implements AutoCloseable {

    private final ExecutorService pool;

    public WordCountPool(int threads) {
        if (threads < 1 || threads > 8) { // feasible: 4 of 4
            throw new IllegalArgumentException("threads: " + threads);
        }
        pool = Executors.newFixedThreadPool(threads);
    }

    public int count(List<String> lines) throws InterruptedException, ExecutionException {
        List<Future<Integer>> counts = new ArrayList<>();
        for (String line : lines) { // feasible: 2 of 2
            counts.add(pool.submit(() -> words(line)));
        }
        int sum = 0;
        for (Future<Integer> count : counts) { // feasible: 2 of 2
            sum += count.get();
        }
        return sum;
    }

    static int words(String line) {
        if (line.isBlank()) { // feasible: 2 of 2
            return 0;
        }
        return line.trim().split(" +").length;
    }

    public boolean isClosed() {
        return pool.isShutdown();
    }

    @Override
    public void close() {
        pool.shutdown();
    }
}
