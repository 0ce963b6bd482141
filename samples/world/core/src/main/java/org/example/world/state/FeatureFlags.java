package org.example.world.state;

/** Features that system properties switch on. */
public class FeatureFlags {

    private static final String PREFIX = "org.example.world.feature.";

    public static void enable(String feature) {
        if (!feature.matches("[a-z]+")) { // feasible: 2 of 2
            throw new IllegalArgumentException("not a feature: " + feature);
        }
        System.setProperty(PREFIX + feature, "true");
    }

    public static boolean isEnabled(String feature) {
        return Boolean.getBoolean(PREFIX + feature);
    }

    public static boolean disable(String feature) {
        return System.clearProperty(PREFIX + feature) != null; // feasible: 2 of 2
    }

    public static String describe(String feature) {
        return isEnabled(feature) ? feature + " is on" : feature + " is off"; // feasible: 2 of 2
    }
}
