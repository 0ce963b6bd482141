package java.lang;

import java.util.ArrayList;
import java.util.Arrays;
import jdk.internal.misc.Unsafe;

/**
 * The buffer to which one thread writes its events. Flows in: events of the owner; flows out: bytes for the
 * agent. Must not know what events mean.
 *
 * <p>The memory lies outside the heap, so that a probe is an owner check, one or two stores and an
 * addition. Compiled loops keep the position in a register. Only the owner of a buffer touches it,
 * so nothing here is synchronised.
 *
 * <p>Probes ask for room at method entries, after calls, in handlers, at back edges and before
 * contents, not at each event: in between, each site of a method runs at most once. The memory is
 * large, so that it is next to never flushed inside a run. A call that is made in a loop costs the
 * loop its registers; a call that is never made costs nothing.
 */
final class TracewrightBuffer {
    static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Bytes to fill before a flush, at most. */
    private static final long CAPACITY = 1 << 26;
    /** The same where all threads have a buffer. */
    private static final long SHARED_CAPACITY = 1 << 22;
    /**
     * Bytes for events that do not ask for room. 64 KiB of code have sites of at least 5 bytes with
     * their probes, and a site writes at most 17 bytes; then one contents event.
     */
    static final long SLACK = 1 << 19;
    private static final int SEEN = 256;

    /** All buffers that have memory; under the lock of this class. */
    private static final ArrayList<TracewrightBuffer> ALL = new ArrayList<>();
    private static final ThreadLocal<TracewrightBuffer> OWN = new ThreadLocal<>();

    final Thread owner;
    /**
     * Number of the thread in the order of first events; 0 for all threads of a worker, where one
     * thread at a time records.
     */
    private final int ordinal;
    private long start;
    private long limit;
    /**
     * Where the next event goes. Set after an event is written whole, so that an error in between
     * leaves no half event.
     */
    long at;
    /**
     * The position right after the last EXIT event: a result recorded there comes from a callee
     * that was recorded itself.
     */
    long exitAt;
    /** False between runs, whose events are dropped. */
    boolean recording;
    /**
     * In a skipped run: the entry site of its outermost method, whose end alone is awaited; 0: all
     * entries and exits count.
     */
    int awaited;
    /** The cap is reached: a request for room throws. */
    boolean exhausted;
    private long flushed;
    private final long cap;
    /**
     * Objects that this run has described, by identity hash. The contents of immutable ones are
     * written down with them. A reader recognises them by the last description of each hash.
     */
    final Object[] seen = new Object[SEEN];

    /** The runs of this thread, where runs begin and end by themselves; else null. */
    final TracewrightRun run;

    /** For a thread whose runs begin and end by themselves. It has memory during a run. */
    TracewrightBuffer(Thread owner, TracewrightRun run) {
        this.owner = owner;
        this.ordinal = 0;
        this.cap = 0;
        this.run = run;
    }

    /** Memory for a run, of {@code capacity} bytes and the slack. */
    void begin(long memory, long capacity) {
        start = memory;
        limit = memory + capacity;
        at = memory;
        exitAt = 0;
        recording = true;
    }

    /** Whether the entry and the exit of this method change nothing. */
    boolean ignores(int entry) {
        return awaited != 0 && awaited != entry;
    }

    /** The length of what is written; afterwards the memory is free again. */
    long take() {
        long length = at - start;
        at = start;
        exitAt = 0;
        return length;
    }

    long start() {
        return start;
    }

    private TracewrightBuffer(Thread owner, int ordinal, long start, long capacity, long cap) {
        this.owner = owner;
        this.ordinal = ordinal;
        this.start = start;
        this.limit = start + capacity;
        this.at = start;
        this.cap = cap;
        this.run = null;
    }

    /** The buffer of this thread. {@code cap}: bytes a run may record. */
    static TracewrightBuffer own(long cap, boolean everyThread) {
        TracewrightBuffer own = OWN.get();
        if (own == null) {
            own = make(cap, everyThread);
            OWN.set(own);
        }
        return own;
    }

    private static synchronized TracewrightBuffer make(long cap, boolean everyThread) {
        long capacity = everyThread ? SHARED_CAPACITY : Math.min(CAPACITY, Math.max(cap, 16));
        long start = 0;
        for (int i = 0; i < ALL.size() && start == 0; i++) {
            TracewrightBuffer other = ALL.get(i);
            if (other.owner == Thread.currentThread()) {
                // The runner clears thread locals between runs.
                return other;
            }
            if (!other.owner.isAlive()) {
                other.drain();
                start = other.start;
                ALL.remove(i);
            }
        }
        if (start == 0) {
            start = UNSAFE.allocateMemory(capacity + SLACK);
        }
        int ordinal = everyThread ? ordinals++ : 0;
        TracewrightBuffer made = new TracewrightBuffer(Thread.currentThread(), ordinal, start, capacity, cap);
        made.recording = everyThread;
        ALL.add(made);
        return made;
    }

    private static int ordinals;

    /**
     * At the end of the JVM: hands over the events of all threads. Threads that still run may lose
     * events.
     */
    static synchronized void drainAll() {
        for (TracewrightBuffer buffer : ALL) {
            buffer.drain();
        }
    }

    void begin() {
        Arrays.fill(seen, null);
        flushed = 0;
        exhausted = false;
        exitAt = 0;
        at = start;
        recording = true;
    }

    /** Ends the run with this last event, and hands its events over as far as the cap allows. */
    void end(byte kind, int operand) {
        if (exhausted) {
            at = start;
        }
        // The slack has room for one event more.
        UNSAFE.putByte(at, kind);
        UNSAFE.putInt(at + 1, operand);
        at += 5;
        drain();
        recording = false;
        Arrays.fill(seen, null);
    }

    boolean isFull() {
        return at >= limit;
    }

    /** Makes room, or throws where the cap is reached. */
    void flush() {
        if (run != null) {
            run.flush(this);
            return;
        }
        if (!recording) {
            at = start;
            exitAt = 0;
            return;
        }
        if (!exhausted) {
            flushed += at - start;
            drain();
            if (flushed < cap) {
                return;
            }
            exhausted = true;
        }
        // The position stays at the limit: the next request for room comes here again.
        at = limit;
        throw new TracewrightBudget();
    }

    private void drain() {
        if (recording && at > start) {
            TracewrightTrace.drain(start, at - start, ordinal);
        }
        at = start;
        exitAt = 0;
    }
}
