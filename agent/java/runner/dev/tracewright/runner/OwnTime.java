package dev.tracewright.runner;

/**
 * The time that the thread of a window has taken by itself: its CPU time, and the time in which it
 * slept, waited or was blocked. Time in which it could run and had no core does not count, so that
 * the other load of a machine does not end a run.
 */
final class OwnTime {
    /**
     * The most that counts as waiting between two looks. A later look shows that the watchdog itself
     * had no core, or that the JVM stood still.
     */
    private static final long MOST_BETWEEN_LOOKS = 50_000_000;

    private long window = -1;
    private long cpuBefore;
    private long waitedNanos;
    private long lastLook;
    private boolean waitedAtLastLook;

    /**
     * Looks at the thread, which the watchdog does every few milliseconds. Nanoseconds that it has
     * taken since the first look at this window; -1 where nothing can tell.
     */
    long look(long window, Thread thread) throws Throwable {
        long cpu = Sink.cpuNanos(thread);
        long now = System.nanoTime();
        boolean waits = switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            default -> false;
        };
        if (window != this.window) {
            this.window = window;
            cpuBefore = cpu;
            waitedNanos = 0;
        } else if (waits && waitedAtLastLook) {
            waitedNanos += Math.min(now - lastLook, MOST_BETWEEN_LOOKS);
        }
        lastLook = now;
        waitedAtLastLook = waits;
        return cpu < 0 || cpuBefore < 0 ? -1 : cpu - cpuBefore + waitedNanos;
    }
}
