package p;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A collaborator and the class that calls it. */
public class Clinic {
    public static class Visit {
        private final String reason;

        public Visit(String reason) { this.reason = reason; }

        public String getReason() { return reason; }
    }

    public interface Visits {
        Visit save(Visit visit) throws IOException;

        Optional<Visit> find(String owner, int number);

        int count(String owner);

        void flush();

        List<? extends Visit> all();
    }

    private final Visits visits;

    public Clinic(Visits visits) { this.visits = visits; }

    public int add(String owner) throws IOException {
        if (visits.count(owner) > 2) {
            throw new IllegalStateException("full");
        }
        visits.save(new Visit(owner + "!"));
        visits.flush();
        return visits.count(owner);
    }
}
