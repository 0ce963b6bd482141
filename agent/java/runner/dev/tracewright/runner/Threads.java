package dev.tracewright.runner;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for the threads that code under test has started, and ends them. A run has come to rest
 * when each of them has ended or only waits ({@link Rest}).
 */
final class Threads {
    /** What a run has left. */
    enum Left {
        /** No thread, or daemon threads that wait. */
        NOTHING,
        /** Threads that wait, among them one that is no daemon. */
        IDLE,
        /** A thread that does not come to rest. */
        RUNNING
    }

    /**
     * CPU time that the threads may use until they rest. Each run that does not come to rest halves
     * it: the next one is likely to do the same.
     */
    private static final long FIRST_PATIENCE = 50_000_000, LEAST_PATIENCE = 5_000_000;
    /** The wait ends after this many times the patience, also where no thread gets a core. */
    private static final int MOST_WALL = 40;
    private static final long FIRST_PAUSE = 50_000, LONGEST_PAUSE = 1_000_000;
    /** How long interrupted threads may take to end; then they are stopped. */
    private static final long INTERRUPTED_NANOS = 5_000_000, STOPPED_NANOS = 100_000_000;
    /** Threads of pools that belong to the JDK. */
    private static final Set<String> OF_JDK = Set.of("CompletableFutureDelayScheduler");
    private static final String DELAYS = "java.util.concurrent.DelayScheduler";

    private final ThreadGroup group;
    private long lastId;
    /** Whether the guard counts thread starts; found out by starting one. */
    private final boolean counted;
    private int lastCount;
    private long patience = FIRST_PATIENCE;

    /** Threads were started, or tasks were given to a pool, since the last {@link #end}. */
    private boolean started;
    /** The wait for them has ended. */
    private boolean awaited;
    private Left left = Left.NOTHING;
    /** Threads of earlier runs that could not be ended, or replace those that were. */
    private Set<Thread> survivors = identitySet();

    /**
     * {@code group}: the group of the threads that run code under test; threads started there
     * inherit it.
     */
    Threads(ThreadGroup group) {
        this.group = group;
        this.counted = startsAreCounted();
    }

    /**
     * Waits until the threads that were started since the last {@link #end} have ended or rest, but
     * not for long. Without such threads this takes two comparisons.
     */
    Left await() throws Throwable {
        boolean again = anyStarted() || !ForkJoinPool.commonPool().isQuiescent();
        started |= again;
        if (again || started && !awaited) {
            awaited = false;
            Left found = awaitRest();
            awaited = true;
            left = found.compareTo(left) > 0 ? found : left;
        }
        if (Sink.foreignExhausted() && left != Left.RUNNING) {
            left = Left.RUNNING;
            started = true;
        }
        return left;
    }

    /**
     * Ends the threads that were started: pools end their workers, and others are interrupted, then
     * stopped. False: a thread goes on.
     */
    boolean end() throws Throwable {
        return end(true);
    }

    /**
     * As {@link #end}, after initialisers, whose pools serve later runs: their workers are ended,
     * but they keep their tasks.
     */
    boolean endOfInitialisers() throws Throwable {
        started |= anyStarted();
        return end(false);
    }

    private boolean end(boolean pools) throws Throwable {
        left = Left.NOTHING;
        awaited = false;
        if (!started) {
            return true;
        }
        started = false;
        Thread[] threads = started(ForkJoinPool.commonPool().isQuiescent());
        for (Thread thread : threads) {
            boolean ends = pools && Sink.endWorkers(thread);
            thread.interrupt();
            // A timer goes on after an interrupt.
            if (!ends && thread.getClass().getName().equals("java.util.TimerThread")) {
                stop(thread);
            }
        }
        boolean ended = ended(threads, INTERRUPTED_NANOS);
        if (!ended) {
            for (Thread thread : threads) {
                stop(thread);
            }
            ended = ended(threads, STOPPED_NANOS);
        }
        Sink.releasePools();
        // A pool may replace a worker that was stopped.
        survivors = identitySet();
        Collections.addAll(survivors, started(true));
        anyStarted();
        return ended;
    }

    private static void stop(Thread thread) {
        try {
            Sink.stop(thread);
        } catch (Throwable notStoppable) {
            // The thread stays alive, which the caller finds out.
        }
    }

    /**
     * Whether threads were started since the last call. Usually the sink's count of starts shows
     * that there is none. Without an agent, thread ids show it, since they count up: a new thread
     * object has the next id.
     */
    private boolean anyStarted() throws Throwable {
        if (counted) {
            int now = Sink.threadsStarted();
            boolean any = now != lastCount;
            lastCount = now;
            return any;
        }
        long id = new Thread(group, null, "").getId();
        boolean any = id != lastId + 1;
        lastId = id;
        return any;
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

    private Left awaitRest() throws Throwable {
        Map<Thread, Rest> rests = new IdentityHashMap<>();
        boolean interrupted = Thread.interrupted();
        long begun = Sink.nanoTime();
        long last = begun;
        long pause = FIRST_PAUSE;
        long delay = 0;
        try {
            while (true) {
                long now = Sink.nanoTime();
                delay = Math.max(delay, now - last - pause);
                boolean all = Sink.virtualThreadsRest();
                boolean quiescent = ForkJoinPool.commonPool().isQuiescent();
                boolean idle = false;
                boolean common = false;
                long used = 0;
                for (Thread thread : started(quiescent)) {
                    common |= isCommon(thread);
                    if (survivors.contains(thread)) {
                        continue;
                    }
                    Rest rest = rests.computeIfAbsent(thread, Rest::new);
                    all &= rest.look(now, delay);
                    idle |= thread.isAlive() && !thread.isDaemon();
                    used += rest.usedNanos();
                }
                if (all && (quiescent || common)) {
                    return idle ? Left.IDLE : Left.NOTHING;
                }
                if (used > patience || now - begun > MOST_WALL * patience || Sink.foreignExhausted()) {
                    patience = Math.max(LEAST_PATIENCE, patience / 2);
                    return Left.RUNNING;
                }
                last = now;
                LockSupport.parkNanos(pause);
                pause = Math.min(pause * 3 / 2, LONGEST_PAUSE);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * The threads of the group but this one. {@code commonRests}: without the workers of the common
     * pool, which a newer JDK has in a group of its own.
     */
    private Thread[] started(boolean commonRests) {
        ThreadGroup from = group;
        while (!commonRests && from.getParent() != null) {
            from = from.getParent();
        }
        Thread[] all = new Thread[from.activeCount() + 16];
        int count = from.enumerate(all, true);
        Thread[] started = new Thread[count];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            ThreadGroup of = all[i].getThreadGroup();
            boolean own = of != null && group.parentOf(of) && all[i] != Thread.currentThread() && !isOfJdk(all[i]);
            if (isCommon(all[i]) ? !commonRests : own) {
                started[kept++] = all[i];
            }
        }
        return java.util.Arrays.copyOf(started, kept);
    }

    private static boolean isCommon(Thread thread) {
        return thread instanceof ForkJoinWorkerThread worker && worker.getPool() == ForkJoinPool.commonPool();
    }

    private static boolean isOfJdk(Thread thread) {
        return OF_JDK.contains(thread.getName()) || thread.getClass().getName().equals(DELAYS);
    }

    /** Waits for the threads to end, and for workers of the common pool to be idle. */
    private static boolean ended(Thread[] threads, long nanos) {
        long until = Sink.nanoTime() + nanos;
        for (Thread thread : threads) {
            while (isCommon(thread) ? !ForkJoinPool.commonPool().isQuiescent() : thread.isAlive()) {
                if (Sink.nanoTime() > until) {
                    return false;
                }
                // An interrupt of an earlier run would end the pause.
                Thread.interrupted();
                LockSupport.parkNanos(FIRST_PAUSE);
            }
        }
        return true;
    }

    private static Set<Thread> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }
}
