package org.example.world.env;

import java.util.Calendar;
import java.util.Date;

/** Dates of the old API, which carry the zone of the system. */
public class LegacyDate {

    public String stamp() {
        return new Date().toString();
    }

    public int year(long millis) {
        Calendar calendar = Calendar.getInstance();
        calendar.setTimeInMillis(millis);
        return calendar.get(Calendar.YEAR);
    }

    public String day(long millis) {
        return new Date(millis).toString().substring(0, 3);
    }

    public static boolean isLeap(int year) {
        if (year % 100 == 0) { // feasible: 2 of 2
            return year % 400 == 0; // feasible: 2 of 2
        }
        return year % 4 == 0; // feasible: 2 of 2
    }
}
