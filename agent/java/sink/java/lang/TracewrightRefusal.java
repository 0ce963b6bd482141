package java.lang;

/** Thrown by the guard: the code under test would reach outside its run. */
public final class TracewrightRefusal extends SecurityException {
    private static final long serialVersionUID = 1L;

    public TracewrightRefusal(String what) {
        super(what);
    }
}
