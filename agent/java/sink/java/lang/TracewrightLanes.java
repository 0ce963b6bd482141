package java.lang;

import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;

/**
 * Which runs are open, in one word for each lane. A lane belongs to one thread; threads without a
 * lane share the last word. Flows in: beginnings and ends of runs; flows out: sums over all lanes,
 * which tell a recorded run whether it was alone. Must not know what a run records.
 *
 * <p>A word holds two numbers: open runs in the lower half, and runs that have begun so far in the
 * upper half, which wraps round. The owner of a lane changes its word by a plain store, so a
 * skipped run takes no locked instruction. Only recorded runs read the words of others.
 *
 * <p>A store that another thread has not seen yet does no harm: the store at a run's begin precedes
 * all stores of the run, and the store at its end follows them. So a run that has read any value
 * which another run wrote also sees that the other run has begun.
 */
final class TracewrightLanes {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Number of lanes; {@code interest.rs} has a table of countdowns for each. */
    static final int LANES = 16;
    /** The lane of threads without one. */
    static final int SHARED = LANES;

    private static final long OPEN = 1;
    private static final long BEGUN = 1L << 32;
    /** Bytes from one word to the next, so that no two words share a cache line. */
    private static final int STRIDE = 128;

    /** Address of the words, the shared one last. */
    private static final long WORDS = zeroed((LANES + 1) * STRIDE);
    /**
     * Address of a word for each lane: 0 before its first owner, else the ordinal of its owner plus
     * one.
     */
    private static final long CLAIMED = zeroed(8L * LANES);
    private static final Owner[] OWNERS = new Owner[LANES];
    /** Address of the number of lanes that have had an owner. */
    private static final long USED = zeroed(8);

    /** The thread that has a lane. The lane does not keep it alive. */
    private static final class Owner extends WeakReference<Thread> {
        final long claim;

        Owner(Thread thread, long claim) {
            super(thread);
            this.claim = claim;
        }

        /** Whether the current thread may claim the lane. */
        boolean isReplaceable() {
            Thread owner = get();
            // A thread that has lost its thread locals claims its own lane again.
            return owner == null || !owner.isAlive() || owner == Thread.currentThread();
        }
    }

    private TracewrightLanes() {}

    /** Zeroed memory that shares no cache line with anything else. It is never freed. */
    static long zeroed(long bytes) {
        long memory = UNSAFE.allocateMemory(bytes + 256);
        UNSAFE.setMemory(memory, bytes + 256, (byte) 0);
        return memory + 128 & -64;
    }

    /** A lane for the current thread until it ends; {@link #SHARED}: all lanes have owners. */
    static int claim(int ordinal) {
        long claim = ordinal + 1L;
        for (int lane = 0; lane < LANES; lane++) {
            long word = CLAIMED + 8L * lane;
            long before = UNSAFE.getLongVolatile(null, word);
            Owner owner = OWNERS[lane];
            boolean replaceable = before == 0 || owner != null && owner.claim == before && owner.isReplaceable();
            if (replaceable && UNSAFE.compareAndSetLong(null, word, before, claim)) {
                OWNERS[lane] = new Owner(Thread.currentThread(), claim);
                // The owner before may have ended inside a run.
                long state = UNSAFE.getLongVolatile(null, word(lane));
                UNSAFE.putLongVolatile(null, word(lane), state >>> 32 << 32);
                long used;
                do {
                    used = UNSAFE.getLongVolatile(null, USED);
                } while (used <= lane && !UNSAFE.compareAndSetLong(null, USED, used, lane + 1L));
                return lane;
            }
        }
        return SHARED;
    }

    private static long word(int lane) {
        return WORDS + (long) STRIDE * lane;
    }

    /** A run of the current thread begins. */
    static void begin(int lane) {
        if (lane == SHARED) {
            UNSAFE.getAndAddLong(null, word(lane), BEGUN + OPEN);
        } else {
            UNSAFE.putLong(word(lane), UNSAFE.getLong(word(lane)) + BEGUN + OPEN);
            UNSAFE.storeFence();
        }
    }

    /** A run of the current thread ends. */
    static void end(int lane) {
        if (lane == SHARED) {
            UNSAFE.getAndAddLong(null, word(lane), -OPEN);
        } else {
            long state = UNSAFE.getLong(word(lane));
            // A thread that has lost its thread locals inside a run has given the run up.
            UNSAFE.putLongRelease(null, word(lane), open(state) == 0 ? state : state - OPEN);
        }
    }

    /**
     * The sum of all words: open runs in the lower half, runs that have begun in the upper half.
     */
    static long sum() {
        UNSAFE.loadFence();
        long sum = UNSAFE.getLongVolatile(null, word(SHARED));
        for (int lane = (int) UNSAFE.getLongVolatile(null, USED); --lane >= 0;) {
            sum += UNSAFE.getLongVolatile(null, word(lane));
        }
        return sum;
    }

    /** Open runs in such a sum. */
    static int open(long sum) {
        return (int) sum;
    }

    /** Runs that have begun, modulo 2^32, in such a sum. */
    static int begun(long sum) {
        return (int) (sum >>> 32);
    }
}
