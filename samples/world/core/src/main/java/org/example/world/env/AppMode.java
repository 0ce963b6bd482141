package org.example.world.env;

/** The mode of an application, from the variable APP_MODE. */
public class AppMode {

    private final String mode;

    public AppMode() {
        this(System.getenv("APP_MODE"));
    }

    AppMode(String mode) {
        this.mode = mode == null ? "development" : mode; // feasible: 2 of 2
    }

    public static String current() {
        return new AppMode().mode;
    }

    public boolean isProduction() {
        return mode.equals("production");
    }

    public static int workers(String mode, int cores) {
        if (cores < 1) { // feasible: 2 of 2
            throw new IllegalArgumentException("no cores: " + cores);
        }
        if (mode.startsWith("prod")) { // feasible: 2 of 2
            return cores > 4 ? cores - 1 : cores; // feasible: 2 of 2
        }
        return 1;
    }
}
