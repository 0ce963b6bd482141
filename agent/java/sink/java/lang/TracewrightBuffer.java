package java.lang;

import java.util.ArrayList;
import java.util.Arrays;
import jdk.internal.misc.Unsafe;

/**
 * Where one thread writes its events: memory outside the heap, so that a probe is an owner check, one or two stores and an addition, and
 * compiled loops keep the position in a register. Nobody but its owner touches a buffer that has one, so nothing here is synchronised.
 *
 * <p>Whether there is room is asked at method entries, after calls, in handlers, at back edges and before contents, not at each event: in
 * between, a method's sites run at most once each. It is large, so that it is next to never flushed inside a run: a call that is ever made
 * in a loop costs the loop its registers, a call that is never made costs nothing.
 */
final class TracewrightBuffer {
    static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Bytes to fill at most before a flush. */
    private static final long CAPACITY = 1 << 26;
    /** The same where every thread has a buffer. */
    private static final long SHARED_CAPACITY = 1 << 22;
    /**
     * More than what one method's sites write without being asked: of 64 KiB of code, at least 5 bytes a site with its probe, at most 17
     * bytes a site; and one contents event.
     */
    static final long SLACK = 1 << 19;
    private static final int SEEN = 256;

    /** All buffers that have memory; under the lock of this class. */
    private static final ArrayList<TracewrightBuffer> ALL = new ArrayList<>();
    private static final ThreadLocal<TracewrightBuffer> OWN = new ThreadLocal<>();

    final Thread owner;
    /** Of the thread, in the order of their first events; 0 for all threads of a worker, where one at a time records. */
    private final int ordinal;
    private long start;
    private long limit;
    /** Where the next event goes. Set after an event is written whole, so that an error in between leaves no half event. */
    long at;
    /** The position right after the last EXIT event: a result recorded there comes from a callee that was recorded itself. */
    long exitAt;
    /** False between runs: what is written then is thrown away. */
    boolean recording;
    /** The cap is reached: asking for room throws. */
    boolean exhausted;
    private long flushed;
    private final long cap;
    /**
     * Objects that this run has described, and whose contents, where they never change, it has written down; by identity hash. A reader who
     * keeps the last description of each hash knows them again.
     */
    final Object[] seen = new Object[SEEN];

    /** Where runs begin and end by themselves: what this thread records now. */
    final TracewrightRun run;

    /** For a thread whose runs begin and end by themselves; it has memory while one goes on. */
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

    /** What is there, for whoever takes it; from now on there is room again. */
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
                // The runner ends thread locals with a run.
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

    /** At the end of the VM: what the threads have recorded so far. Those that still run may lose what they write meanwhile. */
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

    /** Ends the run: what it recorded, as far as the cap allows, and this last event. */
    void end(byte kind, int operand) {
        if (exhausted) {
            at = start;
        }
        // The slack has room for one more.
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

    /** Makes room, or throws since the cap is reached. */
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
        // The position stays where it is: whoever asks next comes here again.
        at = limit;
        throw new TracewrightBudget();
    }

    private void drain() {
        if (recording && at > start) {
            TracewrightSink.drain(start, at - start, ordinal);
        }
        at = start;
        exitAt = 0;
    }
}
