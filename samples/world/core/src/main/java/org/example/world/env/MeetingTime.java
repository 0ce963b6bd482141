package org.example.world.env;

import java.time.LocalDateTime;
import java.time.ZoneId;

/** Meetings in the zone of the system. */
public class MeetingTime {

    public long epochSecond(int year, int month, int hour) {
        return LocalDateTime.of(year, month, 1, hour, 0).atZone(ZoneId.systemDefault()).toEpochSecond();
    }

    public String zone() {
        return ZoneId.systemDefault().getId();
    }

    public boolean isUtc() {
        return zone().equals("UTC") || zone().equals("Etc/UTC"); // environment: the zone
    }

    public static String slot(int hour) {
        if (hour < 8 || hour >= 18) { // feasible: 4 of 4
            return "closed";
        }
        return hour == 12 ? "lunch" : "open"; // feasible: 2 of 2
    }
}
