package org.example.world.env;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** A subscription that ends by the clock that it is given. */
public class Subscription {

    private final Clock clock;
    private Instant end;

    public Subscription(Clock clock) {
        this.clock = clock;
        this.end = clock.instant();
    }

    public Instant extend(int days) {
        if (days < 1 || days > 366) { // feasible: 4 of 4
            throw new IllegalArgumentException("days: " + days);
        }
        Instant now = clock.instant();
        end = (end.isBefore(now) ? now : end).plus(Duration.ofDays(days)); // environment: time that passes
        return end;
    }

    public boolean isActive() {
        return clock.instant().isBefore(end);
    }

    public long daysLeft() {
        return isActive() ? Duration.between(clock.instant(), end).toDays() : 0; // feasible: 2 of 2
    }
}
