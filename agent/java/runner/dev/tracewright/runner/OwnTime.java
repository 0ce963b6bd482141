package dev.tracewright.runner;

/**
 * The time that the thread of a window has taken by itself: its CPU time, and the time in which it
 * slept, waited or was blocked. Time in which it could run and had no core does not count, so that
 * the other load of a machine does not end a run. Time in which the JVM loads or initialises classes
 * does not count either: the first run that needs a framework would be ended, and so would the next
 * one.
 */
final class OwnTime {
    /**
     * The most that counts as waiting between two looks. A later look shows that the watchdog itself
     * had no core, or that the JVM stood still.
     */
    private static final long MOST_BETWEEN_LOOKS = 50_000_000;

    /**
     * The most that does not count because classes are loaded or initialised: a run may define
     * classes forever, and an initialiser may be endless.
     */
    private static final long MOST_LOADING = 10_000_000_000L;

    private long window = -1;
    private long cpuBefore;
    private long waitedNanos;
    private long lastLook;
    private boolean waitedAtLastLook;
    private long loaded;
    private long ownAtLastLook;
    private long loadingNanos;

    /**
     * Looks at the thread, which the watchdog does every few milliseconds. Nanoseconds that it has
     * taken since the first look at this window; -1 where nothing can tell. {@code paused}: the time
     * since the last look does not count.
     */
    long look(long window, Thread thread, boolean paused) throws Throwable {
        long cpu = Sink.cpuNanos(thread);
        long now = Sink.nanoTime();
        boolean waits = switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            default -> false;
        };
        if (window != this.window) {
            this.window = window;
            cpuBefore = cpu;
            waitedNanos = 0;
            loadingNanos = 0;
            ownAtLastLook = 0;
        } else if (waits && waitedAtLastLook) {
            waitedNanos += Math.min(now - lastLook, MOST_BETWEEN_LOOKS);
        }
        lastLook = now;
        waitedAtLastLook = waits;
        if (cpu < 0 || cpuBefore < 0) {
            return -1;
        }
        long own = cpu - cpuBefore + waitedNanos;
        long loaded = Sink.classesLoaded();
        if (paused || loaded != this.loaded || Sink.initialising()) {
            loadingNanos = Math.min(loadingNanos + own - ownAtLastLook, MOST_LOADING);
        }
        this.loaded = loaded;
        ownAtLastLook = own;
        return own - loadingNanos;
    }
}
