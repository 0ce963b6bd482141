package dev.tracewright.runner;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/** Finds and ends threads that code under test has started. */
final class Threads {
    private static final long PATIENCE_MILLIS = 100;

    private final ThreadGroup group;
    private long lastId;

    /** {@code group}: of the threads that run code under test, which threads started there inherit. */
    Threads(ThreadGroup group) {
        this.group = group;
    }

    /**
     * Whether anything that was started still runs; it is asked to end, then stopped. Thread ids count up, so that in the usual case a
     * thread object of our own tells that nobody else has made one.
     */
    Left end() {
        long id = new Thread(group, null, "").getId();
        boolean none = id == lastId + 1;
        lastId = id;
        if (none) {
            return Left.NOTHING;
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
                // Alive below.
            }
        }
        return ended(threads) ? Left.ENDED : Left.RUNNING;
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
                // Cleared by being thrown.
            }
            if (thread.isAlive()) {
                return false;
            }
        }
        return true;
    }
}
