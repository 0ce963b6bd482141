package dev.tracewright.runner;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/**
 * Whether one thread rests. It does where it waits and uses no CPU time for a while. A thread that
 * sleeps may wake now and then, if it uses little CPU time. A thread that waits for input or output,
 * such as the selector of an HTTP client, counts as running Java code, but its innermost method says
 * where it is. Any other thread that runs Java code without CPU time is blocked outside of the JVM. A
 * worker of an idle pool rests at once.
 */
final class Rest {
    /** How long a thread must wait without CPU time. A longer time is for waits with a limit. */
    private static final long WAITING_NANOS = 300_000, SLEEPING_NANOS = 1_000_000;
    /** A thread that sleeps and wakes is watched for this long, and may run a part of the time. */
    private static final long WAKING_NANOS = 4_000_000;
    private static final int WAKING_PART = 20;
    private static final long BLOCKED_NANOS = 100_000_000;
    /** Packages of the JDK whose native methods wait for input and output. */
    private static final String[] OF_IO = {"sun.nio.ch.", "sun.nio.fs.", "java.net.", "sun.net.", "java.io."};

    private final Thread thread;
    private final long cpuAtFirst;
    private final long begun = Sink.nanoTime();
    private boolean waits;
    private long since;
    private long cpuSince = -1;
    private long used;

    Rest(Thread thread) {
        this.thread = thread;
        this.cpuAtFirst = cpuNanos(thread);
    }

    /**
     * Looks at the thread; true: it rests. {@code delay}: how much later than planned a look came,
     * at most. A thread that was woken may wait for a core as long, and looks as if it rested.
     */
    boolean look(long now, long delay) {
        Thread.State state = thread.getState();
        if (state == Thread.State.TERMINATED || isIdleWorker()) {
            return true;
        }
        boolean sleeps = state == Thread.State.TIMED_WAITING;
        boolean waits = sleeps || state == Thread.State.WAITING || state == Thread.State.BLOCKED;
        long cpu = cpuNanos(thread);
        // Where nothing tells the CPU time, a thread that does not wait runs.
        used = cpu >= 0 ? cpu - cpuAtFirst : waits ? used : now - begun;
        boolean ran = cpu != cpuSince || cpu < 0 && !waits;
        long span = now - since;
        if (waits && this.waits && sleeps && ran && span >= WAKING_NANOS + 2 * delay && cpu - cpuSince <= span / WAKING_PART) {
            return true;
        }
        boolean watched = sleeps && this.waits && span < WAKING_NANOS + 2 * delay;
        if (waits != this.waits || ran && !watched) {
            this.waits = waits;
            since = now;
            cpuSince = cpu;
            return false;
        }
        if (ran) {
            return false;
        }
        if (!waits && span >= SLEEPING_NANOS + 2 * delay && isInIo()) {
            return true;
        }
        return span >= (sleeps ? SLEEPING_NANOS : waits ? WAITING_NANOS : BLOCKED_NANOS) + 2 * delay;
    }

    /** Whether the thread is in a native method for input or output. */
    private boolean isInIo() {
        StackTraceElement[] stack = thread.getStackTrace();
        if (stack.length == 0 || !stack[0].isNativeMethod()) {
            return false;
        }
        for (String prefix : OF_IO) {
            if (stack[0].getClassName().startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** CPU time that the thread has used since the first look. */
    long usedNanos() {
        return used;
    }

    private boolean isIdleWorker() {
        return thread instanceof ForkJoinWorkerThread worker && worker.getPool().getClass() == ForkJoinPool.class
                && worker.getPool().isQuiescent();
    }

    private static long cpuNanos(Thread thread) {
        try {
            return Sink.cpuNanos(thread);
        } catch (Throwable unknown) {
            return -1;
        }
    }
}
