package org.example.world.java21;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs each task in a virtual thread. */
public class VirtualWorkers {

    public int total(int[] prices) throws InterruptedException, ExecutionException {
        if (prices.length > 100) { // feasible: 2 of 2
            throw new IllegalArgumentException("too many: " + prices.length);
        }
        try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> results = new ArrayList<>();
            for (int price : prices) { // feasible: 2 of 2
                results.add(workers.submit(() -> withTax(price)));
            }
            int total = 0;
            for (Future<Integer> result : results) { // feasible: 2 of 2
                total += result.get();
            }
            return total;
        }
    }

    static int withTax(int price) {
        if (price < 0) { // feasible: 2 of 2
            return 0;
        }
        return price > 1000 ? price + 200 : price + price / 10; // feasible: 2 of 2
    }
}
