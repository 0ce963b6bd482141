package dev.tracewright.runner;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides whether the thread that runs code under test or the watchdog ends a run. One word holds
 * the number of the window and its phase; the first to change it has decided.
 */
final class Watch {
    private static final long IDLE = 0, RUNNING = 1, STOPPED = 2;

    private final AtomicLong word = new AtomicLong();
    private volatile long began;
    private volatile boolean paused;
    /** The statement that runs; read by the watchdog when it ends the window. */
    volatile int statement;

    /** Opens a window. No window is open before. */
    void enter() {
        long number = word.get() >>> 2;
        began = Sink.nanoTime();
        paused = false;
        word.set(number + 1 << 2 | RUNNING);
    }

    /** Closes the window. False: the watchdog has ended it, and with it this thread. */
    boolean leave() {
        long now = word.get();
        return (now & 3) == RUNNING && word.compareAndSet(now, now & ~3L | IDLE);
    }

    /** The time from now on does not count: the thread waits for others, with a limit of its own. */
    void pause() {
        paused = true;
    }

    boolean isPaused() {
        return paused;
    }

    /** Time counts again. */
    void resume() {
        paused = false;
    }

    /** The open window, for {@link #openFor} and {@link #stop}; -1: none is open. */
    long open() {
        long now = word.get();
        return (now & 3) == RUNNING ? now : -1;
    }

    /** Nanoseconds since the window was opened that is open now. */
    long openFor() {
        return Sink.nanoTime() - began;
    }

    /** Ends this window. False: the thread has closed it before. */
    boolean stop(long window) {
        return word.compareAndSet(window, window & ~3L | STOPPED);
    }

    /** After a stop, when another thread has taken over. */
    void reset() {
        word.set((word.get() >>> 2) << 2 | IDLE);
    }
}
