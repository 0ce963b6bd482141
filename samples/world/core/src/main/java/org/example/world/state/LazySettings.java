package org.example.world.state;

/** A singleton that is made at its first use with what was set before. */
public final class LazySettings {

    private static String nextProfile = "default";
    private static volatile LazySettings instance;

    private final String profile;

    private LazySettings(String profile) {
        this.profile = profile;
    }

    public static void profile(String profile) {
        if (instance != null) { // feasible: 2 of 2
            throw new IllegalStateException("in use with " + instance.profile);
        }
        nextProfile = profile.isEmpty() ? "default" : profile; // feasible: 2 of 2
    }

    public static LazySettings get() {
        LazySettings known = instance;
        if (known == null) { // feasible: 2 of 2
            known = new LazySettings(nextProfile);
            instance = known;
        }
        return known;
    }

    public String profile() {
        return profile;
    }

    public boolean isTest() {
        return profile.equals("test");
    }

    public static void reset() {
        instance = null;
        nextProfile = "default";
    }
}
