package dev.tracewright.runner;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/** Finds and ends threads that code under test has started. */
final class Threads {
    private static final long PATIENCE_MILLIS = 100;

    private final ThreadGroup group;
    private long lastId;
    /** Whether the guard counts thread starts; found out by starting one. */
    private final boolean counted;
    private int lastCount;

    /**
     * {@code group}: the group of the threads that run code under test; threads started there
     * inherit it.
     */
    Threads(ThreadGroup group) {
        this.group = group;
        this.counted = startsAreCounted();
    }

    /**
     * Whether any started thread still runs; it is interrupted, then stopped. Usually the sink's
     * count of starts shows that there is none. Without an agent, thread ids show it, since they
     * count up: a new thread object has the next id.
     */
    Left end() throws Throwable {
        if (counted) {
            int now = Sink.threadsStarted();
            boolean none = now == lastCount;
            lastCount = now;
            if (none) {
                return Left.NOTHING;
            }
        } else {
            long id = new Thread(group, null, "").getId();
            boolean none = id == lastId + 1;
            lastId = id;
            if (none) {
                return Left.NOTHING;
            }
        }
        Thread[] threads = started();
        if (threads.length == 0) {
            return Left.NOTHING;
        }
        for (Thread thread : threads) {
            thread.interrupt();
        }
        if (ended(threads)) {
            return Left.ENDED;
        }
        for (Thread thread : threads) {
            try {
                Sink.stop(thread);
            } catch (Throwable notStoppable) {
                // The thread is alive: see below.
            }
        }
        return ended(threads) ? Left.ENDED : Left.RUNNING;
    }

    private static boolean startsAreCounted() {
        try {
            int before = Sink.threadsStarted();
            Thread probe = new Thread(() -> {});
            probe.start();
            probe.join();
            return Sink.threadsStarted() != before;
        } catch (Throwable unknown) {
            return false;
        }
    }

    enum Left { NOTHING, ENDED, RUNNING }

    private Thread[] started() {
        Thread[] all = new Thread[group.activeCount() + 16];
        int count = group.enumerate(all, true);
        Thread[] started = new Thread[count];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            boolean pooled = all[i] instanceof ForkJoinWorkerThread worker && worker.getPool() == ForkJoinPool.commonPool();
            if (all[i] != Thread.currentThread() && !pooled) {
                started[kept++] = all[i];
            }
        }
        return java.util.Arrays.copyOf(started, kept);
    }

    private static boolean ended(Thread[] threads) {
        long until = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        for (Thread thread : threads) {
            try {
                long left = (until - System.nanoTime()) / 1_000_000;
                if (left > 0) {
                    thread.join(left);
                }
            } catch (InterruptedException ofEarlierRun) {
                // The exception clears the interrupt.
            }
            if (thread.isAlive()) {
                return false;
            }
        }
        return true;
    }
}
