package java.lang;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The runs of one thread of a recorded program. A run is the outermost call of recorded code, until
 * it returns or throws. Flows in: entries and exits; flows out: the events of whole runs, handed to
 * the agent one run at a time. Must not change what the program sees: it throws nothing, keeps no
 * object of the program alive, and takes no lock.
 *
 * <p>A buffer has memory only during a run, so that there may be many threads. An object
 * that a run has described is recognised by its identity hash and that of its class. A virtual
 * thread is handled like a platform thread, whichever carrier it is mounted on.
 */
final class TracewrightRun {
    /** Runs begin and end by themselves; set once by the agent, before any class is rewritten. */
    static boolean enabled;

    /** Bytes of events of one run at most; set once by the agent. */
    private static long runLimit;

    private static final int SEEN = 256;
    /**
     * Verdicts of {@code RUN_END}. The last one: the JVM ended, or another run began in its place.
     */
    private static final int COMPLETED = 0;
    private static final int THREW = 1;
    private static final int CUT = 5;

    /** The entry of methods whose runs are suppressed. No site has this number. */
    static final int SUPPRESSED = -1;

    private static final ThreadLocal<TracewrightBuffer> OWN = new ThreadLocal<>();

    private static final AtomicInteger ORDINALS = new AtomicInteger();

    /** Nothing is recorded any more: a limit was reached, or the JVM ends. */
    private static volatile boolean stopped;

    /** Number of the thread, in the order of first runs. */
    final int ordinal;
    /** The lane of the thread. */
    final int lane;
    /** Address of the countdowns of the thread. */
    final long countdowns;
    /** The slot of a recorded run among the open ones, until it ends. */
    int slot;
    /** Runs of all threads that had begun when this one had, modulo 2^32. */
    int begun;
    /** Another run was open at the same time. */
    boolean accompanied;
    /** Runs that countdowns were armed to skip since the last run was handed over. */
    int armed;
    /** Runs of the same method were skipped right before this one. */
    boolean afterSkips;
    /** Bytes of this run that were handed over before its end. */
    private long handed;
    /** The run is longer than its limit. */
    private boolean overLimit;
    /** Entry sites of the methods that the thread is in, the outermost first. */
    private int[] entries = new int[32];
    /**
     * For each of them: the constructor of its class that it is about to call, which initialises
     * its object; 0: none.
     */
    private int[] calls = new int[32];
    private int depth;
    /** How many of them, from the outermost on, are constructors that no handler covers yet. */
    private int unmade;
    /**
     * The identity hash of the receiver's class; 0: there is no receiver, or a constructor makes
     * it.
     */
    private int receiver;
    /**
     * The {@link #level} of the run's first method, counted at the entry of a constructor that may
     * be left without a probe; 0: not counted.
     */
    private int frames;
    /** The stack was full: methods may have been left without a probe. */
    private boolean doubtful;
    /** The objects that were described last: see {@link #mark}. */
    private final long[] seen = new long[SEEN];
    /** A run is open, whether it is recorded or not. */
    private boolean open;

    private TracewrightRun(int ordinal) {
        this.ordinal = ordinal;
        this.lane = TracewrightLanes.claim(ordinal);
        this.countdowns = TracewrightSkips.countdowns(lane, ordinal);
    }

    /**
     * Called by the agent before any class is rewritten. {@code skips}: address of its skip table.
     */
    static void configure(long skips, long runLimit) {
        TracewrightSkips.table = skips;
        TracewrightRun.runLimit = runLimit;
        // Initialises its memory before any probe reads it.
        TracewrightOpenRuns.anyRecorded();
        enabled = true;
    }

    /** The buffer of this thread, whether it records or not; null: nothing is to be recorded. */
    static TracewrightBuffer own() {
        if (TracewrightSink.mode != TracewrightSink.TRACE || stopped && TracewrightLanes.open(TracewrightLanes.sum()) == 0) {
            return null;
        }
        TracewrightBuffer own = OWN.get();
        if (own == null) {
            if (stopped) {
                return null;
            }
            own = new TracewrightBuffer(Thread.currentThread(), new TracewrightRun(ORDINALS.getAndIncrement()));
            OWN.set(own);
        }
        if (own.run.open) {
            TracewrightTrace.inside = own;
        }
        return own;
    }

    /** The buffer of this thread; null: no run of it is recorded. */
    static TracewrightBuffer current() {
        if (!TracewrightOpenRuns.anyRecorded()) {
            return null;
        }
        TracewrightBuffer own = OWN.get();
        return own != null && own.recording ? own : null;
    }

    /** A method is entered. Returns whether its events are recorded. */
    boolean enter(TracewrightBuffer buffer, Object object, int entry, boolean constructor) {
        if (depth > 0 && (doubtful || lost(entry))) {
            // Methods were left without a probe: the stack was full, or a constructor threw before
            // its object was initialised.
            cut(buffer);
        }
        if (depth == 0) {
            if (open) {
                // The stack was full when the run began.
                cut(buffer);
            }
            // An inherited method is another method in each class: it calls what that class
            // overrides.
            int begun = object == null ? 0 : System.identityHashCode(object.getClass());
            boolean skipped = entry == SUPPRESSED || TracewrightSkips.skips(this, entry, begun);
            if (stopped || !skipped && !begin(buffer)) {
                return false;
            }
            if (skipped) {
                skip(buffer);
                // A handler covers the whole method, so the end of the method is always seen. Its
                // calls need not be followed.
                buffer.awaited = constructor ? 0 : entry;
            }
            receiver = begun;
            frames = 0;
        } else if (buffer.recording && buffer.isFull()) {
            flush(buffer);
        }
        if (constructor && unmade == depth) {
            if (frames == 0) {
                // Each of them was called by the one before it. The cost of this grows with the
                // stack.
                frames = level(4) - depth;
            }
            unmade++;
        }
        if (depth == entries.length) {
            entries = Arrays.copyOf(entries, 2 * depth);
            calls = Arrays.copyOf(calls, 2 * depth);
        }
        calls[depth] = 0;
        entries[depth++] = entry;
        return buffer.recording;
    }

    /** It is not certain that all methods that were left had a probe. */
    void doubt(TracewrightBuffer buffer) {
        doubtful = true;
        buffer.awaited = 0;
    }

    /** Whether the thread has left its method without a probe, as far as is known. */
    private boolean lost(int entry) {
        int called = calls[depth - 1];
        if (called != 0) {
            // A constructor calls only the other constructor here, unless that one could not be
            // given probes.
            return called != entry;
        }
        return unmade == depth && frames != 0 && level(5) < frames + depth;
    }

    /**
     * Number of the frame that called the probe, from the outermost on. {@code own}: frames between
     * that one and this.
     */
    private static int level(int own) {
        return frames() - own;
    }

    /** A constructor is about to call another one of its class. */
    void calls(TracewrightBuffer buffer, int entry, int other) {
        // An exception of the other constructor ends this one too.
        buffer.awaited = 0;
        if (depth > 0 && entries[depth - 1] == entry) {
            calls[depth - 1] = other;
            if (unmade == depth - 1) {
                unmade = depth;
            }
        }
    }

    void made(int entry) {
        for (int i = depth; --i >= 0;) {
            if (entries[i] == entry) {
                calls[i] = 0;
                unmade = Math.min(unmade, i);
                return;
            }
        }
    }

    /**
     * A method is left, with the methods that it called. Returns whether it was the outermost one.
     */
    boolean leave(int entry) {
        for (int i = depth; --i >= 0;) {
            if (entries[i] == entry) {
                depth = i;
                unmade = Math.min(unmade, i);
                return i == 0;
            }
        }
        return false;
    }

    /**
     * As {@link #leave}. With a constructor, the constructors are left that waited for it to
     * initialise their object.
     */
    boolean leaveByException(int entry) {
        int before = depth;
        boolean last = leave(entry);
        if (!last && depth < before && unmade == depth && frames != 0 && level(2) == frames + depth) {
            // All of them are constructors, each called by the one before it to initialise the same
            // object.
            depth = 0;
            unmade = 0;
            return true;
        }
        while (!last && depth > 0 && calls[depth - 1] == entry) {
            entry = entries[--depth];
            unmade = Math.min(unmade, depth);
            last = depth == 0;
        }
        return last;
    }

    boolean knows(Object value, int hash, boolean constant) {
        return seen[hash & SEEN - 1] == mark(value, hash, constant);
    }

    void described(Object value, int hash, boolean constant) {
        seen[hash & SEEN - 1] = mark(value, hash, constant);
    }

    /**
     * Different objects sometimes have one identity hash. A run meets thousands of strings and
     * boxes, so their contents distinguish them too. Their {@code hashCode} is the JDK's
     * own.
     */
    private static long mark(Object value, int hash, boolean constant) {
        return (long) hash << 32 | System.identityHashCode(value.getClass()) ^ (constant ? value.hashCode() : 0) & 0xffffffffL;
    }

    private boolean begin(TracewrightBuffer buffer) {
        if (!TracewrightOpenRuns.open(buffer)) {
            return false;
        }
        long memory = TracewrightOpenRuns.takeMemory(ordinal);
        if (memory == 0) {
            TracewrightOpenRuns.close(buffer);
            TracewrightOpenRuns.mute();
            return false;
        }
        buffer.begin(memory, TracewrightOpenRuns.CAPACITY);
        handed = 0;
        overLimit = false;
        Arrays.fill(seen, 0);
        open = true;
        doubtful = false;
        unmade = 0;
        TracewrightTrace.cached = buffer;
        TracewrightTrace.inside = buffer;
        TracewrightTrace.began(buffer);
        return true;
    }

    /** Begins a run that is not recorded: only its end is awaited. */
    private void skip(TracewrightBuffer buffer) {
        TracewrightLanes.begin(lane);
        open = true;
        doubtful = false;
        unmade = 0;
        buffer.begin(0, 0);
        buffer.recording = false;
        TracewrightTrace.inside = buffer;
    }

    /** Makes room, and ends the recording of a run that has reached its limit. */
    void flush(TracewrightBuffer buffer) {
        long start = buffer.start();
        long length = buffer.take();
        if (fits(length)) {
            addPart(start, length, ordinal);
            handed += length;
            overLimit = handed >= runLimit;
        } else {
            overLimit = true;
        }
        if (overLimit) {
            mute(buffer);
        }
    }

    /**
     * Whether these bytes may follow. The first ones may in any case: a run's beginning is kept.
     */
    private boolean fits(long length) {
        return handed == 0 || handed + length <= runLimit;
    }

    /** The outermost method returned: its result, the object that a constructor made, or null. */
    void returned(TracewrightBuffer buffer, Object result) {
        end(buffer, COMPLETED, TracewrightTrace.RESULTREF, result);
    }

    void threw(TracewrightBuffer buffer, Object thrown) {
        end(buffer, THREW, TracewrightTrace.THROWN, thrown);
    }

    private void cut(TracewrightBuffer buffer) {
        end(buffer, CUT, TracewrightTrace.THROWN, null);
    }

    private void end(TracewrightBuffer buffer, int verdict, byte kind, Object value) {
        depth = 0;
        unmade = 0;
        if (buffer.recording) {
            // The slack has room for both events.
            TracewrightTrace.ended(buffer, verdict, kind, value);
        }
        close(buffer);
    }

    /** Whether the method entered last is the outermost one. */
    boolean isOutermost() {
        return depth == 1;
    }

    private void close(TracewrightBuffer buffer) {
        mute(buffer);
        buffer.awaited = 0;
        open = false;
        if (TracewrightTrace.inside == buffer) {
            TracewrightTrace.inside = null;
        }
        long start = buffer.start();
        if (start == 0) {
            TracewrightLanes.end(lane);
        } else if (TracewrightOpenRuns.close(buffer)) {
            handOver(buffer, accompanied);
            TracewrightOpenRuns.giveBackMemory(ordinal, start);
        }
    }

    private void handOver(TracewrightBuffer buffer, boolean accompanied) {
        long start = buffer.start();
        long length = buffer.take();
        boolean cut = overLimit || !fits(length);
        if (!addRun(start, cut ? 0 : length, ordinal, receiver, accompanied, cut, armed, afterSkips)) {
            stopped = true;
        }
        armed = 0;
        afterSkips = false;
    }

    private static void mute(TracewrightBuffer buffer) {
        if (buffer.recording) {
            buffer.recording = false;
            TracewrightOpenRuns.mute();
        }
        if (TracewrightTrace.cached == buffer) {
            TracewrightTrace.cached = null;
        }
    }

    /**
     * The JVM ends: open runs are cut. Threads that still run may write meanwhile, so only the runs
     * of waiting threads are handed over.
     */
    static void endAll() {
        stopped = true;
        for (int slot = 0; slot < TracewrightOpenRuns.slots(); slot++) {
            TracewrightBuffer buffer = TracewrightOpenRuns.closeAtEnd(slot);
            if (buffer == null || buffer.start() == 0) {
                continue;
            }
            if (buffer.recording) {
                TracewrightTrace.ended(buffer, CUT, TracewrightTrace.THROWN, null);
                buffer.recording = false;
            }
            buffer.run.handOver(buffer, true);
        }
    }

    /** Hands over what a run has recorded so far. */
    private static native void addPart(long address, long length, int thread);

    /** Hands over the rest of a run. False: nothing more is to be recorded. */
    private static native boolean addRun(long address, long length, int thread, int receiver, boolean accompanied, boolean cut,
            int armed, boolean afterSkips);

    /** How many frames this thread has. */
    private static native int frames();
}
