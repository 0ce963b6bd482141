package java.lang;

/** Thrown by all probes once a run has used its event budget up, or has ended. */
public final class TracewrightBudget extends Error {
    private static final long serialVersionUID = 1L;

    public TracewrightBudget() {
        // No stack trace: it may be thrown millions of times, and at the end of the stack.
        super("the event budget of this run is used up", null, false, false);
    }
}
