package org.example.world.env;

/** What the system properties of the JVM say about its release. */
public class RuntimeRelease {

    public String describe() {
        return System.getProperty("java.vendor") + " " + System.getProperty("java.version");
    }

    public int feature() {
        return Runtime.version().feature();
    }

    public boolean hasVirtualThreads() {
        return feature() >= 21; // environment: the release of the JVM
    }

    public static int featureOf(String version) {
        String rest = version.startsWith("1.") ? version.substring(2) : version; // feasible: 2 of 2
        int end = 0;
        while (end < rest.length() && Character.isDigit(rest.charAt(end))) { // feasible: 4 of 4
            end++;
        }
        if (end == 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("not a version: " + version);
        }
        return Integer.parseInt(rest.substring(0, Math.min(end, 4)));
    }
}
