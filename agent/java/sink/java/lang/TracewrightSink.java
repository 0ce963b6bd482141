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
    /**
     * What is left of the event budget of the other threads of the run. Events that two threads
     * have at the same time may count once.
     */
    static long foreignBudget;
    /** Whether the other threads of the run have used their event budget up. */
    private static volatile boolean foreignExhausted;
    /** What the sink knows of each thread that has met a probe. */
    private static final ThreadLocal<Seen> SEEN = new ThreadLocal<>();

    /** A thread that has met a probe. */
    private static final class Seen {
        /** The run to which the thread belongs; -1: the thread is the runner's. */
        long run;
        /** Distance that a comparison left for the jump right behind it; NaN: none. */
        double pending = Double.NaN;

        Seen(long run) {
            this.run = run;
        }
    }

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

    /**
     * Called between runs. The agent then measures the classes, slots and mutants of the configuration file. False:
     * the file cannot be used, and the agent measures the same classes as before.
     */
    public static native boolean retarget(String file);

    /** Called by the agent while it changes its targets. */
    static void reconfigure(int branchSlots, int lineSlots, int mutants) {
        TracewrightSearch.configure(branchSlots, lineSlots);
        TracewrightMutants.configure(mutants);
        TracewrightStatics.forgetClasses();
    }

    /** Makes this thread the owner of a new run. */
    static void startRun() {
        Thread current = Thread.currentThread();
        if (runs == 0) {
            // Thread ids grow: all threads that exist already have a lower id than a new one.
            ownThreads = new Thread("tracewright-mark").getId();
        }
        Seen seen = SEEN.get();
        if (seen == null || seen.run != -1) {
            SEEN.set(new Seen(-1));
        }
        foreignExhausted = false;
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
     * has ended, or has used the event budget of such threads up.
     */
    static void foreign() {
        Seen seen = seen();
        if (seen == null || seen.run == -1) {
            return;
        }
        long run = activeRun;
        if (seen.run != run) {
            // Threads of the common pool may outlive a run: they are ended only between runs.
            if (run != 0 && Thread.currentThread() instanceof ForkJoinWorkerThread) {
                seen.run = run;
            } else {
                throw new TracewrightBudget();
            }
        }
        if (--foreignBudget < 0) {
            foreignExhausted = true;
            throw new TracewrightBudget();
        }
    }

    /** What is known of this thread; null: it existed before the first run. */
    private static Seen seen() {
        Thread current = Thread.currentThread();
        if (current.getId() <= ownThreads) {
            return null;
        }
        Seen seen = SEEN.get();
        if (seen == null) {
            long run = activeRun;
            seen = new Seen(run != 0 ? run : runs);
            SEEN.set(seen);
        }
        return seen;
    }

    /** Whether what this thread does belongs to the run: it owns the run, or the run started it. */
    static boolean counts() {
        return Thread.currentThread() == owner || isForeignOfRun();
    }

    /** Whether the run has started this thread. */
    static boolean isForeignOfRun() {
        if (activeRun == 0) {
            return false;
        }
        Seen seen = seen();
        return seen != null && seen.run == activeRun;
    }

    /** Leaves a distance for the next jump of this thread, which the run has started. */
    static void leaveDistance(double distance) {
        Seen seen = seen();
        if (seen != null) {
            seen.pending = distance;
        }
    }

    /** Takes the distance that a comparison left in this thread; NaN: none. */
    static double takeDistance() {
        Seen seen = seen();
        if (seen == null) {
            return Double.NaN;
        }
        double distance = seen.pending;
        seen.pending = Double.NaN;
        return distance;
    }

    /** Whether other threads of the last run have used their event budget up. */
    public static boolean foreignExhausted() {
        return foreignExhausted;
    }

    /** Throws a {@link TracewrightBudget} in another thread. */
    public static native void stop(Thread thread);

    /** CPU time of a thread; -1 where it has ended or the JVM cannot tell. */
    public static native long cpuNanos(Thread thread);

    /** Number of class files that this JVM has loaded since the agent looks at them. */
    public static native long classesLoaded();

    /** The machine's {@link System#nanoTime}, whatever the clock of this JVM shows. */
    public static native long nanoTime();

    /**
     * Called by the agent where this JVM gets another clock. False: it cannot. The JVM warns about
     * rebound natives of the JDK unless a class of the boot loader calls the native that does it.
     */
    static boolean changeClock() {
        return rebindClock();
    }

    private static native boolean rebindClock();

    /** Called by the agent where threads of this JVM have a lead before their starters. False: they cannot. */
    static boolean leadThreads() {
        return rebindThreads();
    }

    private static native boolean rebindThreads();

    /** Called by the agent at the end of the JVM. */
    static void finish() {
        if (TracewrightRun.enabled) {
            TracewrightRun.endAll();
        } else if (TracewrightTrace.everyThread) {
            TracewrightBuffer.drainAll();
        }
    }
}
