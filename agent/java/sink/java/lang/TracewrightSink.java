package java.lang;

import java.util.concurrent.ForkJoinWorkerThread;

/**
 * The mode of this JVM, the current run, and its event budget. Flows in: the configuration
 * of the agent, commands of the sequence runner, method entries and back edges of rewritten code;
 * flows out: {@link TracewrightBudget}, where a run has used its budget up. Must not know what the
 * other probes write down.
 *
 * <p>All classes of the sink are defined in {@code java.lang} with the null loader, so that every
 * class sees them. They must not run code under test, and while {@link #mode} is 0 they call
 * nothing at all. Probes are called with copies of the operands of the probed instruction; all of
 * them are static and return nothing.
 */
public final class TracewrightSink {
    public static final int OFF = 0;
    public static final int SEARCH = 1;
    public static final int TRACE = 2;
    public static final int GUARD = 3;

    /** One of {@link #OFF} to {@link #GUARD}; set once by the agent. */
    public static int mode;

    /** The thread whose events count; null between runs. */
    static Thread owner;
    /**
     * Number of the current run, 0 between runs. Volatile: threads of earlier runs read
     * it.
     */
    static volatile long activeRun;
    /** Runs that have begun. */
    static long runs;
    /**
     * Threads with an id up to this one existed before the first run: they belong to the JVM or the
     * runner.
     */
    static volatile long ownThreads = Long.MAX_VALUE;
    /** What is left of the event budget: method entries and back edges. */
    static long budget;
    /** The run in which each foreign thread was first seen; -1: the thread is the runner's. */
    private static final ThreadLocal<long[]> FIRST_SEEN = new ThreadLocal<>();

    /** Counts all threads that are started; the guard puts the call there. */
    public static volatile int threadsStarted;

    private TracewrightSink() {}

    /**
     * Called by the agent after it has defined the classes of the sink, and before any class is
     * rewritten.
     */
    static void configure(int mode, int branchSlots, int lineSlots, long eventCap, boolean everyThread) {
        TracewrightSearch.configure(branchSlots, lineSlots);
        TracewrightStatics.configure();
        TracewrightTrace.configure(eventCap, everyThread);
        TracewrightSink.mode = mode;
    }

    /** Makes this thread the owner of a new run. */
    static void startRun() {
        Thread current = Thread.currentThread();
        if (runs == 0) {
            // Thread ids grow: all threads that exist already have a lower id than a new one.
            ownThreads = new Thread("tracewright-mark").getId();
        }
        long[] seen = FIRST_SEEN.get();
        if (seen == null || seen[0] != -1) {
            FIRST_SEEN.set(new long[] {-1});
        }
        runs++;
        activeRun = runs;
        owner = current;
    }

    static void endRun() {
        owner = null;
        activeRun = 0;
    }

    /** Guard probe: a thread is about to be started. */
    public static synchronized void threadStarts() {
        threadsStarted++;
    }

    /** Probe at method entries and back edges. */
    public static void tick() {
        if (Thread.currentThread() == owner) {
            if (--budget < 0) {
                throw new TracewrightBudget();
            }
        } else if (mode != OFF) {
            foreign();
        }
    }

    /**
     * A probe on a thread that does not own the run: ends the thread when the run that started it
     * has ended.
     */
    static void foreign() {
        Thread current = Thread.currentThread();
        if (current.getId() <= ownThreads) {
            return;
        }
        long run = activeRun;
        long[] seen = FIRST_SEEN.get();
        if (seen == null) {
            FIRST_SEEN.set(new long[] {run != 0 ? run : runs});
        } else if (seen[0] != -1 && seen[0] != run) {
            // Threads of the common pool may outlive a run: they are ended only between runs.
            if (run != 0 && current instanceof ForkJoinWorkerThread) {
                seen[0] = run;
            } else {
                throw new TracewrightBudget();
            }
        }
    }

    /** Throws a {@link TracewrightBudget} in another thread. */
    public static native void stop(Thread thread);

    /** CPU time of a thread; -1 where it has ended or the JVM cannot tell. */
    public static native long cpuNanos(Thread thread);

    /** Number of class files that this JVM has loaded since the agent looks at them. */
    public static native long classesLoaded();

    /** Called by the agent at the end of the JVM. */
    static void finish() {
        if (TracewrightRun.enabled) {
            TracewrightRun.endAll();
        } else if (TracewrightTrace.everyThread) {
            TracewrightBuffer.drainAll();
        }
    }
}
