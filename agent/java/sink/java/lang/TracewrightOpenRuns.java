package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * The unfinished recorded runs of all threads, and their memory. Flows in: beginnings and ends of
 * recorded runs; flows out: whether a run was alone, and the runs that are open when the JVM ends.
 * Must not know what a run records.
 *
 * <p>No thread waits for another one here: all state changes by atomic instructions.
 */
final class TracewrightOpenRuns {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Open runs at most; a run that begins beyond it is not recorded. A power of two. */
    private static final int MOST = 4096;
    /** Bytes that a run fills before it hands them over. */
    static final long CAPACITY = 1 << 20;

    /**
     * Address of the number of recorded runs. It has a cache line of its own: probes of skipped
     * runs read it, and only recorded runs change it.
     */
    private static final long RECORDED = TracewrightLanes.zeroed(64);

    /** The open runs. A run sits in the slot of its thread's ordinal, or behind it. */
    private static final TracewrightBuffer[] RUNS = new TracewrightBuffer[MOST];
    /**
     * Address of a word for each slot: 0 where it is free, else the ordinal of the thread plus one.
     * The words lie outside the heap, since the JDKs do not agree on the type of array offsets.
     */
    private static final long TAKEN = TracewrightLanes.zeroed(8L * MOST);

    /** Address of 64 words: each is the address of memory that no run uses, or 0. */
    private static final long FREE = TracewrightLanes.zeroed(8L * 64);
    private static final int FREE_SLOTS = 64;

    private TracewrightOpenRuns() {}

    /** Whether any thread records a run. Probes ask this first, so it calls no code with probes. */
    static boolean anyRecorded() {
        return UNSAFE.getLong(null, RECORDED) != 0;
    }

    /**
     * Opens a recorded run, and says in it whether other runs are open. False: there are too many
     * of them.
     */
    static boolean open(TracewrightBuffer buffer) {
        if (!place(buffer)) {
            forgetDead();
            if (!place(buffer)) {
                return false;
            }
        }
        UNSAFE.getAndAddLong(null, RECORDED, 1);
        TracewrightRun run = buffer.run;
        long sum = TracewrightLanes.sum();
        run.accompanied = TracewrightLanes.open(sum) != 0;
        run.begun = TracewrightLanes.begun(sum) + 1;
        TracewrightLanes.begin(run.lane);
        return true;
    }

    /** Puts the run into a free slot. */
    private static boolean place(TracewrightBuffer buffer) {
        // Neighbouring ordinals get distant slots, in different cache lines.
        int ordinal = buffer.run.ordinal;
        int home = (ordinal << 4 | ordinal >>> 8 & 15) & MOST - 1;
        for (int i = 0; i < MOST; i++) {
            int slot = home + i & MOST - 1;
            long word = TAKEN + 8L * slot;
            if (UNSAFE.getLong(word) == 0 && UNSAFE.compareAndSetLong(null, word, 0, ordinal + 1L)) {
                buffer.run.slot = slot;
                RUNS[slot] = buffer;
                return true;
            }
        }
        return false;
    }

    /**
     * Closes a recorded run of the current thread, and says in it whether other runs were open
     * meanwhile. False: the end of the JVM has closed it already.
     */
    static boolean close(TracewrightBuffer buffer) {
        if (!remove(buffer)) {
            return false;
        }
        TracewrightRun run = buffer.run;
        TracewrightLanes.end(run.lane);
        run.accompanied |= TracewrightLanes.begun(TracewrightLanes.sum()) != run.begun;
        return true;
    }

    /** Takes a run out of its slot. False: another thread has done so already. */
    private static boolean remove(TracewrightBuffer buffer) {
        TracewrightRun run = buffer.run;
        long word = TAKEN + 8L * run.slot;
        long taken = run.ordinal + 1L;
        if (UNSAFE.getLongVolatile(null, word) != taken) {
            return false;
        }
        RUNS[run.slot] = null;
        return UNSAFE.compareAndSetLong(null, word, taken, 0);
    }

    /** An open run is not recorded any more. */
    static void mute() {
        UNSAFE.getAndAddLong(null, RECORDED, -1);
    }

    /**
     * Closes the runs of threads that ended without leaving them. Their lanes count them as open until
     * other threads claim these.
     */
    private static void forgetDead() {
        for (int slot = 0; slot < MOST; slot++) {
            TracewrightBuffer buffer = at(slot);
            if (buffer != null && !buffer.owner.isAlive() && remove(buffer)) {
                if (buffer.recording) {
                    mute();
                }
                UNSAFE.freeMemory(buffer.start());
            }
        }
    }

    /**
     * Closes the run in a slot at the end of the JVM, if its thread cannot add events meanwhile: it
     * is the current thread, or it waits. Null without such a run.
     */
    static TracewrightBuffer closeAtEnd(int slot) {
        TracewrightBuffer buffer = at(slot);
        if (buffer == null) {
            return null;
        }
        Thread owner = buffer.owner;
        boolean rests = owner == Thread.currentThread() || owner.getState() != Thread.State.RUNNABLE;
        return rests && remove(buffer) ? buffer : null;
    }

    /**
     * The run in a slot; null where there is none, or where a thread has not filled the slot yet.
     */
    private static TracewrightBuffer at(int slot) {
        long taken = UNSAFE.getLongVolatile(null, TAKEN + 8L * slot);
        TracewrightBuffer buffer = RUNS[slot];
        return buffer != null && buffer.run.ordinal + 1L == taken ? buffer : null;
    }

    static int slots() {
        return MOST;
    }

    /** Memory for a run, of {@link #CAPACITY} bytes and the slack; 0: there is none. */
    static long takeMemory(int ordinal) {
        for (int i = 0; i < FREE_SLOTS; i++) {
            long word = FREE + 8L * (ordinal + i & FREE_SLOTS - 1);
            if (UNSAFE.getLong(word) != 0) {
                long memory = UNSAFE.getAndSetLong(null, word, 0);
                if (memory != 0) {
                    return memory;
                }
            }
        }
        try {
            return UNSAFE.allocateMemory(CAPACITY + TracewrightBuffer.SLACK);
        } catch (OutOfMemoryError exhausted) {
            return 0;
        }
    }

    static void giveBackMemory(int ordinal, long memory) {
        for (int i = 0; i < FREE_SLOTS; i++) {
            long word = FREE + 8L * (ordinal + i & FREE_SLOTS - 1);
            if (UNSAFE.getLong(word) == 0 && UNSAFE.compareAndSetLong(null, word, 0, memory)) {
                return;
            }
        }
        UNSAFE.freeMemory(memory);
    }
}
