package org.example.world.env;

import java.time.Instant;
import java.util.function.Supplier;

/** A ticket that is stamped by a supplier of instants. */
public class Ticket {

    private final Supplier<Instant> now;
    private Instant stamped;

    public Ticket(Supplier<Instant> now) {
        this.now = now;
    }

    /** A ticket with the clock of the system. */
    public static Ticket system() {
        return new Ticket(Instant::now);
    }

    public Instant stamp() {
        if (stamped != null) { // feasible: 2 of 2
            throw new IllegalStateException("stamped already");
        }
        stamped = now.get();
        return stamped;
    }

    public boolean isValid(long seconds) {
        if (stamped == null || seconds < 0) { // feasible: 4 of 4
            return false;
        }
        return now.get().isBefore(stamped.plusSeconds(seconds));
    }
}
