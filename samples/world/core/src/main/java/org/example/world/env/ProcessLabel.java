package org.example.world.env;

/** The number of the process. */
public class ProcessLabel {

    public String lockName(String service) {
        if (service.contains("/")) { // feasible: 2 of 2
            throw new IllegalArgumentException("a slash: " + service);
        }
        return service + "." + ProcessHandle.current().pid() + ".lock";
    }

    public static long owner(String lockName) {
        String[] parts = lockName.split("\\.");
        if (parts.length != 3) { // feasible: 2 of 2
            return -1;
        }
        return parts[1].matches("[0-9]{1,9}") ? Long.parseLong(parts[1]) : 0; // feasible: 2 of 2
    }
}
