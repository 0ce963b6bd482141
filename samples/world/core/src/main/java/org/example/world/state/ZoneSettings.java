package org.example.world.state;

import java.util.TimeZone;

/** Sets the default zone of the JVM. */
public class ZoneSettings {

    public String set(int hours) {
        if (hours < -12 || hours > 14) { // feasible: 4 of 4
            throw new IllegalArgumentException("hours: " + hours);
        }
        TimeZone.setDefault(TimeZone.getTimeZone(id(hours)));
        return TimeZone.getDefault().getID();
    }

    public void reset() {
        TimeZone.setDefault(null);
    }

    public static String id(int hours) {
        if (hours == 0) { // feasible: 2 of 2
            return "GMT";
        }
        return hours > 0 ? "GMT+" + hours : "GMT" + hours; // feasible: 2 of 2
    }
}
