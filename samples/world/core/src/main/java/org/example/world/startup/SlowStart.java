package org.example.world.startup;

/** An initialiser that sleeps 300 ms. */
public class SlowStart {

    private static final int[] LIMITS = load();

    private static int[] load() {
        try {
            Thread.sleep(300);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return new int[] {5, 50, 500};
    }

    public static String size(int value) {
        if (value < LIMITS[0]) { // feasible: 2 of 2
            return "small";
        }
        if (value < LIMITS[1]) { // feasible: 2 of 2
            return "medium";
        }
        return value < LIMITS[2] ? "large" : "huge"; // feasible: 2 of 2
    }
}
