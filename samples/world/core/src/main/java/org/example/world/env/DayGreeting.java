package org.example.world.env;

import java.time.LocalDate;
import java.time.LocalTime;

/** Words for the time of day, by the clock of the system. */
public class DayGreeting {

    public String now() {
        return at(LocalTime.now().getHour());
    }

    public LocalDate today() {
        return LocalDate.now();
    }

    public String at(int hour) {
        if (hour < 0 || hour > 23) { // feasible: 4 of 4
            throw new IllegalArgumentException("hour " + hour);
        }
        if (hour < 12) { // feasible: 2 of 2
            return "Good morning";
        }
        return hour < 18 ? "Good afternoon" : "Good evening"; // feasible: 2 of 2
    }
}
