package org.example.world.threads;

import java.util.Arrays;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

/** Sums by a pool of its own and by a parallel stream. */
public class ParallelSum {

    /** Halves an array until the halves are short. */
    private static final class Part extends RecursiveTask<Long> {
        private static final long serialVersionUID = 1;
        private final int[] values;
        private final int from;
        private final int to;

        Part(int[] values, int from, int to) {
            this.values = values;
            this.from = from;
            this.to = to;
        }

        @Override
        protected Long compute() {
            if (to - from < 4) { // feasible: 2 of 2
                long sum = 0;
                for (int i = from; i < to; i++) { // feasible: 2 of 2
                    sum += values[i];
                }
                return sum;
            }
            int middle = (from + to) >>> 1;
            Part left = new Part(values, from, middle);
            left.fork();
            return new Part(values, middle, to).compute() + left.join();
        }
    }

    public long sum(int[] values) {
        ForkJoinPool pool = new ForkJoinPool(2);
        long sum = pool.invoke(new Part(values, 0, values.length));
        return sum < 0 ? 0 : sum; // feasible: 2 of 2
    }

    public long positives(int[] values) {
        return Arrays.stream(values).parallel().filter(value -> value > 0).count(); // feasible: 2 of 2
    }
}
