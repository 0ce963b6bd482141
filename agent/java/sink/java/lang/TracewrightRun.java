package java.lang;

import java.util.Arrays;

/**
 * The runs of one thread of a VM that is not ours: each is the outermost call of recorded code, until it returns or throws. Flows in: entries
 * and exits; flows out: the events of whole runs, handed to the agent one run at a time. Must not change what the program sees: it throws nothing,
 * keeps no object of the program and waits for no lock that code of the program can hold.
 *
 * <p>A buffer has memory only while a run goes on, so that there may be many threads. An object that it has described is known again by its
 * identity hash and that of its class. A virtual thread is a thread as any other: its run goes on where it goes on, whatever carries it.
 */
final class TracewrightRun {
    /** Set once by the agent, before any class is rewritten. */
    static boolean enabled;

    private static final long CAPACITY = 1 << 20;
    private static final int SEEN = 256;
    /** Runs that go on at the same time, at most: what begins beyond it is not recorded. */
    private static final int MOST_OPEN = 4096;
    /** Of {@code RUN_END}; the last one: the VM ended, or another run began in its place. */
    private static final int COMPLETED = 0;
    private static final int THREW = 1;
    private static final int CUT = 5;

    /** The entry of methods whose runs are never recorded. No site has this number. */
    static final int ASIDE = -1;

    private static final ThreadLocal<TracewrightBuffer> OWN = new ThreadLocal<>();

    /**
     * Runs to pass over, by their {@link #mark(int, int) entry and the class of their object}: the agent says how many, where a method has shown nothing
     * new for long. What they are told apart by above the number; one a slot, so that one write changes both. Where threads race, or several share a slot,
     * a run more is recorded, or one less.
     */
    private static final long[] PASSING = new long[4096];

    // Under the lock of this class.
    private static final long[] FREE = new long[64];
    private static int free;
    private static TracewrightBuffer[] open = new TracewrightBuffer[16];
    private static int openCount;
    private static int ordinals;

    /** Nothing is recorded any more: a limit was reached, or the VM ends. */
    private static volatile boolean stopped;
    /** Threads whose run is recorded. Read without the lock, as the number of open runs is: a thread sees what it changed itself. */
    private static int recording;

    private final int ordinal;
    /** Entry sites of the methods that the thread is in, the outermost first. */
    private int[] entries = new int[32];
    /** Of each: the constructor of its class that it is about to call, which initializes its object; 0: none. */
    private int[] calls = new int[32];
    private int depth;
    /** How many of them, from the outermost on, are constructors that no handler covers yet. */
    private int unmade;
    /** The entry that the run began with. */
    private int outermost;
    /** The identity hash of the class of the object that it began in; 0: in none, or one that is being made. */
    private int receiver;
    /** The {@link #level} of the run's first method, counted when a constructor that may leave without a word is entered; 0: not counted. */
    private int frames;
    /** The stack was full: methods may have been left that could not say so. */
    private boolean doubtful;
    /** Of the objects that were described last: see {@link #mark}. */
    private final long[] seen = new long[SEEN];
    /** A run goes on, whether it is recorded or over its limit. */
    private boolean going;
    /** Another run went on beside it. */
    private boolean accompanied;

    private TracewrightRun(int ordinal) {
        this.ordinal = ordinal;
    }

    /** The buffer of this thread, whether it records or not. */
    static TracewrightBuffer own() {
        if (TracewrightSink.mode != TracewrightSink.TRACE || stopped && openCount == 0) {
            return null;
        }
        TracewrightBuffer own = OWN.get();
        if (own == null) {
            if (stopped) {
                return null;
            }
            own = new TracewrightBuffer(Thread.currentThread(), new TracewrightRun(nextOrdinal()));
            OWN.set(own);
        }
        if (own.run.going) {
            TracewrightSink.inside = own;
        }
        return own;
    }

    /** The buffer of this thread, if a run goes on. */
    static TracewrightBuffer current() {
        if (recording == 0) {
            return null;
        }
        TracewrightBuffer own = OWN.get();
        return own != null && own.recording ? own : null;
    }

    private static synchronized int nextOrdinal() {
        return ordinals++;
    }

    /** A method is entered; whether its events are recorded. */
    boolean enter(TracewrightBuffer buffer, Object object, int entry, boolean constructor) {
        if (depth > 0 && (doubtful || lost(entry))) {
            // Methods that a full stack kept from saying that they were left, or a constructor that threw before its object was initialized.
            cut(buffer);
        }
        if (depth == 0) {
            if (going) {
                // The stack was full when it began.
                cut(buffer);
            }
            // What is inherited is another method in each class: it calls what that class overrides.
            int begun = object == null ? 0 : System.identityHashCode(object.getClass());
            if (stopped || !(entry == ASIDE || passes(entry, begun) ? pass(buffer) : begin(buffer))) {
                return false;
            }
            receiver = begun;
            outermost = entry;
            frames = 0;
        } else if (buffer.recording && buffer.isFull()) {
            flush(buffer);
        }
        if (constructor && unmade == depth) {
            if (frames == 0) {
                // All before it were called one by the other. The price of this grows with the stack.
                frames = level(3) - depth;
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

    /** Whether all methods that were left have said so is not certain. */
    void doubt() {
        doubtful = true;
    }

    /** Whether the thread left what it is in, as far as is known, without a word. */
    private boolean lost(int entry) {
        int called = calls[depth - 1];
        if (called != 0) {
            // Nothing comes between a constructor and the one that it calls, unless that one could not be given probes.
            return called != entry;
        }
        return unmade == depth && frames != 0 && level(4) < frames + depth;
    }

    /** Which frame of this thread called the probe, counted from the outermost; between here and there are {@code own} frames. */
    private static int level(int own) {
        return frames() - own;
    }

    /** A constructor is about to call another one of its class. */
    void calls(int entry, int other) {
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

    /** A method is left, and with it those that it called; whether it was the outermost one. */
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

    /** As {@link #leave}; and with a constructor are left the constructors that waited for it to initialize their object. */
    boolean leaveByException(int entry) {
        int before = depth;
        boolean last = leave(entry);
        if (!last && depth < before && unmade == depth && frames != 0 && level(2) == frames + depth) {
            // Nothing but constructors, each called by the one before it to initialize the same object.
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
     * Different objects have one identity hash now and then: texts and boxes, of which runs meet thousands, are told apart by what they hold.
     * Their {@code hashCode} is the JDK's own.
     */
    private static long mark(Object value, int hash, boolean constant) {
        return (long) hash << 32 | System.identityHashCode(value.getClass()) ^ (constant ? value.hashCode() : 0) & 0xffffffffL;
    }

    private boolean begin(TracewrightBuffer buffer) {
        if (!take(buffer)) {
            return false;
        }
        Arrays.fill(seen, 0);
        going = true;
        doubtful = false;
        unmade = 0;
        TracewrightSink.cached = buffer;
        TracewrightSink.inside = buffer;
        TracewrightSink.began(buffer);
        return true;
    }

    private static int mark(int entry, int receiver) {
        return entry ^ receiver * 0x9e3779b1;
    }

    private static int slot(int mark) {
        return (mark ^ mark >>> 15) & PASSING.length - 1;
    }

    private static boolean passes(int entry, int receiver) {
        int mark = mark(entry, receiver);
        long left = PASSING[slot(mark)];
        if ((int) (left >>> 32) != mark || (int) left == 0) {
            return false;
        }
        PASSING[slot(mark)] = left - 1;
        return true;
    }

    /** Begins a run that is not recorded: only its end is waited for. */
    private boolean pass(TracewrightBuffer buffer) {
        synchronized (TracewrightRun.class) {
            if (!opened(buffer)) {
                return false;
            }
        }
        going = true;
        doubtful = false;
        unmade = 0;
        buffer.begin(0, 0);
        buffer.recording = false;
        TracewrightSink.inside = buffer;
        return true;
    }

    /** Makes room. */
    void flush(TracewrightBuffer buffer) {
        long start = buffer.start();
        long length = buffer.take();
        if (!part(start, length, ordinal)) {
            // Over its limit: from here on only its end is waited for.
            mute(buffer);
        }
    }

    /** The outermost method returned: an object, the one that it made if it is a constructor, or nothing that lives on. */
    void returned(TracewrightBuffer buffer, Object result) {
        end(buffer, COMPLETED, TracewrightSink.RESULTREF, result);
    }

    void threw(TracewrightBuffer buffer, Object thrown) {
        end(buffer, THREW, TracewrightSink.THROWN, thrown);
    }

    private void cut(TracewrightBuffer buffer) {
        end(buffer, CUT, TracewrightSink.THROWN, null);
    }

    private void end(TracewrightBuffer buffer, int verdict, byte kind, Object value) {
        depth = 0;
        unmade = 0;
        if (buffer.recording) {
            // The slack has room for both.
            TracewrightSink.ended(buffer, verdict, kind, value);
        }
        close(buffer);
    }

    /** Whether the method entered last is the one that the run began with. */
    boolean isOutermost() {
        return depth == 1;
    }

    private void close(TracewrightBuffer buffer) {
        mute(buffer);
        going = false;
        if (TracewrightSink.inside == buffer) {
            TracewrightSink.inside = null;
        }
        long start = buffer.start();
        boolean alone = release(buffer);
        if (start == 0) {
            return;
        }
        int next = whole(start, buffer.take(), ordinal, !alone, receiver);
        if (next < 0) {
            stopped = true;
        } else if (next > 0) {
            int mark = mark(outermost, receiver);
            PASSING[slot(mark)] = (long) mark << 32 | next;
        }
        giveBack(start);
    }

    private static void mute(TracewrightBuffer buffer) {
        if (buffer.recording) {
            buffer.recording = false;
            synchronized (TracewrightRun.class) {
                recording--;
            }
        }
        if (TracewrightSink.cached == buffer) {
            TracewrightSink.cached = null;
        }
    }

    private boolean take(TracewrightBuffer buffer) {
        synchronized (TracewrightRun.class) {
            if (!opened(buffer)) {
                return false;
            }
            long memory;
            if (free > 0) {
                memory = FREE[--free];
            } else {
                try {
                    memory = TracewrightBuffer.UNSAFE.allocateMemory(CAPACITY + TracewrightBuffer.SLACK);
                } catch (OutOfMemoryError exhausted) {
                    open[--openCount] = null;
                    return false;
                }
            }
            recording++;
            buffer.begin(memory, CAPACITY);
        }
        return true;
    }

    /** Under the lock: the run goes on beside those that do; false: there are too many. */
    private boolean opened(TracewrightBuffer buffer) {
        if (openCount >= MOST_OPEN) {
            forgetDead();
        }
        if (openCount >= MOST_OPEN) {
            return false;
        }
        if (openCount == open.length) {
            open = Arrays.copyOf(open, 2 * openCount);
        }
        for (int i = 0; i < openCount; i++) {
            open[i].run.accompanied = true;
        }
        open[openCount++] = buffer;
        accompanied = openCount > 1;
        return true;
    }

    /** Whether the run was alone. */
    private boolean release(TracewrightBuffer buffer) {
        synchronized (TracewrightRun.class) {
            for (int i = openCount; --i >= 0;) {
                if (open[i] == buffer) {
                    open[i] = open[--openCount];
                    open[openCount] = null;
                    break;
                }
            }
            return !accompanied;
        }
    }

    private static void giveBack(long memory) {
        synchronized (TracewrightRun.class) {
            if (free < FREE.length) {
                FREE[free++] = memory;
                return;
            }
        }
        TracewrightBuffer.UNSAFE.freeMemory(memory);
    }

    /** Runs of threads that ended without leaving them. */
    private static void forgetDead() {
        for (int i = openCount; --i >= 0;) {
            if (!open[i].owner.isAlive()) {
                TracewrightBuffer.UNSAFE.freeMemory(open[i].start());
                recording -= open[i].recording ? 1 : 0;
                open[i] = open[--openCount];
                open[openCount] = null;
            }
        }
    }

    /** The VM ends: what goes on is cut. Threads that still run may write meanwhile, so only those that wait are asked. */
    static void endAll() {
        stopped = true;
        Thread self = Thread.currentThread();
        synchronized (TracewrightRun.class) {
            for (int i = 0; i < openCount; i++) {
                TracewrightBuffer buffer = open[i];
                if (buffer.owner == self || buffer.owner.getState() != Thread.State.RUNNABLE) {
                    if (buffer.recording) {
                        TracewrightSink.ended(buffer, CUT, TracewrightSink.THROWN, null);
                    }
                    buffer.recording = false;
                    if (buffer.start() != 0) {
                        whole(buffer.start(), buffer.take(), buffer.run.ordinal, true, buffer.run.receiver);
                    }
                }
            }
            openCount = 0;
        }
    }

    /** Hands over what a run has recorded so far; false: it is over its limit. */
    private static native boolean part(long address, long length, int thread);

    /**
     * Hands over the rest of a run; how many runs of its method in objects of the same class to pass over from now on, or -1: nothing more is to be
     * recorded.
     */
    private static native int whole(long address, long length, int thread, boolean accompanied, int receiver);

    /** How many frames this thread has. */
    private static native int frames();
}
