package p;

import java.time.Clock;
import java.util.Optional;

/** A class that is made of a collaborator, a clock and a limit, or whose fields a container writes. */
public class Agenda {
    public record Entry(String owner, long at) {}

    public interface Entries {
        Optional<Entry> find(String owner);

        void save(Entry entry);
    }

    Entries entries;
    Clock clock;
    int limit;

    Agenda() {}

    public Agenda(Entries entries, Clock clock, int limit) {
        this.entries = entries;
        this.clock = clock;
        this.limit = limit;
    }

    public boolean book(String owner) {
        if (owner.length() > limit) {
            throw new IllegalArgumentException(owner + " is too long");
        }
        if (entries.find(owner).isPresent()) {
            return false;
        }
        entries.save(new Entry(owner, clock.millis()));
        return true;
    }
}
