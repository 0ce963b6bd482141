package org.example.world.env;

/** The memory of the JVM. */
public class MemoryGauge {

    public long free() {
        return Runtime.getRuntime().freeMemory();
    }

    public int percentUsed() {
        Runtime runtime = Runtime.getRuntime();
        return (int) (100 - runtime.freeMemory() * 100 / runtime.totalMemory());
    }

    public boolean isTight() {
        return percentUsed() > 90; // environment: free memory
    }

    public static String format(long bytes) {
        if (bytes < 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("negative");
        }
        if (bytes < 1024) { // feasible: 2 of 2
            return bytes + " B";
        }
        return bytes < 1024 * 1024 ? bytes / 1024 + " KiB" : bytes / (1024 * 1024) + " MiB"; // feasible: 2 of 2
    }
}
