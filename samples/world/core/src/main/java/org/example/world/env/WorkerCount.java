package org.example.world.env;

/** The number of workers for the cores of the machine. */
public class WorkerCount {

    public int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    public int workers(int share) {
        if (share < 1 || share > 100) { // feasible: 4 of 4
            throw new IllegalArgumentException("percent: " + share);
        }
        return Math.max(1, cores() * share / 100);
    }

    public boolean isSmallMachine() {
        return cores() < 4; // environment: the number of cores
    }

    public static int batches(int jobs, int workers) {
        if (jobs == 0) { // feasible: 2 of 2
            return 0;
        }
        return workers <= 0 ? 1 : (jobs - 1) / workers + 1; // feasible: 2 of 2
    }
}
