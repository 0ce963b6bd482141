package injection;

import org.springframework.beans.factory.annotation.Autowired;

/** A superclass with a private field that a container fills. */
public abstract class Audited<T> {
    @Autowired
    private Journal<T> journal;

    protected void note(T what) {
        journal.add(what);
    }

    /** A collaborator with a type argument. */
    public interface Journal<T> {
        void add(T entry);
    }
}
