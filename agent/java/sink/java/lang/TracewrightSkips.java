package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * Decides which runs are skipped, because their method showed nothing new for long. Flows in: skip
 * periods, which the writer thread publishes; flows out: one decision for each run. Must not know
 * what a run records.
 *
 * <p>The table lies outside the heap; {@code SkipTable} in the agent describes its layout. All
 * accesses are atomic, and no thread waits: a period that is read late only shifts which runs are
 * recorded. The number of skipped runs stays exact: a countdown changes by compare-and-set, or
 * belongs to one thread.
 */
final class TracewrightSkips {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    private static final int SLOTS = 4096;
    /** Tables of countdowns that threads without a lane share. */
    private static final int STRIPES = 8;

    /** Address of the table; set once by the agent. */
    static long table;

    private TracewrightSkips() {}

    /**
     * Address of the countdowns of a thread. The owner of a lane has its own, so it changes them by
     * plain stores.
     */
    static long countdowns(int lane, int ordinal) {
        int stripe = lane == TracewrightLanes.SHARED ? lane + (ordinal & STRIPES - 1) : lane;
        return table + 8L * SLOTS * (1 + stripe);
    }

    /** One number for an entry site and the identity hash of the receiver's class. */
    static int mark(int entry, int receiver) {
        return entry ^ receiver * 0x9e3779b1;
    }

    private static int slot(int mark) {
        return (mark ^ mark >>> 15) & SLOTS - 1;
    }

    /**
     * Whether a run of the method is skipped. When a countdown ends, the run is recorded and the
     * countdown is armed again. The run carries the number of skipped runs to the agent.
     */
    static boolean skips(TracewrightRun run, int entry, int receiver) {
        int mark = mark(entry, receiver);
        int slot = slot(mark);
        long countdown = run.countdowns + 8L * slot;
        if (run.lane != TracewrightLanes.SHARED) {
            long before = UNSAFE.getLong(countdown);
            if ((int) (before >>> 32) == mark && (int) before > 0) {
                UNSAFE.putLong(countdown, before - 1);
                return true;
            }
        }
        while (true) {
            long before = UNSAFE.getLongVolatile(null, countdown);
            boolean own = (int) (before >>> 32) == mark;
            long after;
            if (own && (int) before > 0) {
                after = before - 1;
            } else {
                long published = UNSAFE.getLongVolatile(null, table + 8L * slot);
                boolean armed = (int) (published >>> 32) == mark && (int) published > 0;
                if (!own && !armed) {
                    // The slot is another method's.
                    return false;
                }
                after = armed ? published : 0;
            }
            if (before == after) {
                return false;
            }
            if (UNSAFE.compareAndSetLong(null, countdown, before, after)) {
                if (own && (int) before > 0) {
                    return true;
                }
                run.armed += (int) after - (own ? 0 : (int) before);
                run.afterSkips = own;
                return false;
            }
        }
    }
}
