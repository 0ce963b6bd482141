package dev.tracewright.runner;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Serves test cases. Flows in: frames with test cases; flows out: frames with results. One thread
 * at a time reads frames and runs code under test; the thread of {@code serve} is its watchdog.
 *
 * <p>After the watchdog has closed the window of a thread, that thread never reads or writes again:
 * a new thread takes over. So a stop that arrives late cannot hit the runner.
 */
final class Session {
    /** The purpose of a window: it decides what the next thread does after a stop. */
    private enum Window { INITIALISE, RUN, OBSERVE, REINITIALISE }

    private static final int REPLACE = 1, LEFT_RUNNING = 2, LEFT_IDLE = 4;
    private static final int OBSERVE = 1, CAUTIOUS = 2;
    private static final long MOST_CLASSES_LOADED = 8000;
    private static final long WATCH_EVERY_MILLIS = 5;
    private static final long STACK_BYTES = 1 << 20;
    private static final String[] NO_STRINGS = {};
    private static final int[] NOTHING = {};
    private static final Class<?>[] NO_CLASSES = {};

    private final Wire wire;
    private final ThreadGroup group = new ThreadGroup("main");
    private Threads threads;
    private final Watch watch = new Watch();
    private final ClassTable classes = new ClassTable();
    private final Snapshots snapshots = new Snapshots(classes, false);
    private final Snapshots plain = new Snapshots(classes, true);
    private volatile Config config;
    private World world;
    private Project project;
    private Slots slots;
    private volatile Thread runner;
    private volatile Throwable failure;
    private volatile boolean over;
    private volatile Window window = Window.INITIALISE;

    // The fields from here on are handed from thread to thread by Thread.start.
    private boolean ready;
    private Wire.Reader batch;
    private int index;
    private int count;
    private boolean observe;
    /**
     * Each result is sent before the next test case begins: one of the test cases ends the JVM.
     */
    private boolean cautious;
    /** Instead of {@code batch}: test cases to run under mutants. */
    private Mutants.Batch mutated;
    private int[] noted = NOTHING;
    /** Classes whose initialisers must run again before the next run. */
    private Class<?>[] dirty = NO_CLASSES;
    /** Classes whose static state the run changed, and the parts of {@link World} that it changed. */
    private Class<?>[] changed = NO_CLASSES;
    private int changedWorld;

    /** The result of the test case that is being executed. */
    private final Wire.Writer frame = new Wire.Writer(Wire.RESULT);
    /** The frame holds everything but snapshots and tail. */
    private boolean framed;
    private boolean leftRunning;
    private boolean leftIdle;
    private boolean replace;
    private int freshLoaders;
    private int reinitialised;
    private final OwnTime ownTime = new OwnTime();
    /** Limit of an execution; each execution that reaches it shortens it. */
    private long limitNanos;

    /** The targets are initialised in the current class loader. */
    private boolean prepared;
    private int preparing;
    private final Set<String> notAhead = new HashSet<>();

    Session(Wire wire) {
        this.wire = wire;
    }

    void serve() throws Throwable {
        Wire.Reader first = wire.read();
        if (first == null || first.uint8() != Wire.CONFIG) {
            throw new IOException("no configuration");
        }
        config = new Config(first);
        limitNanos = config.candidateNanos;
        Sink.pretend();
        world = new World(config);
        project = new Project(config);
        slots = new Slots(config);
        Sink.arm(config.temporary);
        threads = new Threads(group);
        start(this::loop);
        while (!over) {
            Thread.sleep(WATCH_EVERY_MILLIS);
            // The engine learns the ends of earlier runs soon, whatever happens to this one.
            wire.flush();
            // An initialiser runs once, so it may use the full time limit.
            boolean run = window == Window.RUN;
            if (stopIfOver(run ? limitNanos : config.candidateNanos)) {
                if (run) {
                    limitNanos = Math.max(Math.min(limitNanos, config.leastNanos), limitNanos / 2);
                }
                stopRunner();
            }
        }
        wire.flush();
        if (failure != null) {
            throw failure;
        }
    }

    /** Ends the window where it is open for longer than the limit. */
    private boolean stopIfOver(long limit) throws Throwable {
        long open = watch.open();
        if (open == -1) {
            return false;
        }
        long wall = watch.openFor();
        boolean counts = config.hangNanos > 0 && wall <= config.hangNanos;
        boolean paused = watch.isPaused();
        long own = counts ? ownTime.look(open, runner, paused) : -1;
        return !paused && (own == -1 ? wall : own) > limit && watch.stop(open);
    }

    private interface Work {
        void run() throws Throwable;
    }

    private void start(Work work) {
        Thread next = new Thread(group, () -> {
            try {
                work.run();
            } catch (Throwable thrown) {
                failure = thrown;
                over = true;
            }
        }, config.thread, STACK_BYTES);
        // Threads that code under test starts inherit this, as they do from the thread of a test.
        next.setDaemon(false);
        next.setContextClassLoader(project.loader());
        runner = next;
        next.start();
    }

    private void stopRunner() throws Throwable {
        Thread stopped = runner;
        int during = watch.statement;
        try {
            Sink.stop(stopped);
        } catch (Throwable notStoppable) {
            // The grace period decides.
        }
        stopped.interrupt();
        stopped.join(Math.max(1, config.graceNanos / 1_000_000));
        if (stopped.isAlive()) {
            // The thread is blocked where no exception reaches it. The engine ends this process
            // after it has read the result.
            replace = true;
            if (window == Window.RUN) {
                frameEnd(End.timeout(during));
            }
            if (framed) {
                finish(null);
            }
            over = true;
            return;
        }
        watch.reset();
        start(() -> {
            takeOver(during);
            loop();
        });
    }

    /** The first work of a thread that follows a stopped one. */
    private void takeOver(int during) throws Throwable {
        Mutants.end();
        Sink.end();
        Sink.refused();
        if (window == Window.INITIALISE) {
            notAhead.add(config.targets[preparing]);
        } else if (window == Window.RUN) {
            frameEnd(End.timeout(during));
        }
        endThreads();
        replaceIfHeapIsSpent();
        if (framed) {
            finish(null);
        }
        world.restore();
        // An asynchronous exception may have left anything half done.
        renew();
    }

    /** Serves until the watchdog has taken over or the engine has gone. */
    private void loop() throws Throwable {
        while (true) {
            if (!prepared && !prepare()) {
                return;
            }
            if (!ready) {
                ready = true;
                wire.write(new Wire.Writer(Wire.READY).int8(Sink.present() ? 1 : 0).int8(mayServeAgain() ? 1 : 0));
            }
            if (index < count) {
                if (!(mutated == null ? executeNext() : mutateNext())) {
                    return;
                }
                continue;
            }
            wire.flush();
            Wire.Reader in = wire.read();
            if (in == null) {
                over = true;
                return;
            }
            switch (in.uint8()) {
                case Wire.CONFIG -> reconfigure(in);
                case Wire.DEFINE -> project.define(in);
                case Wire.RUN -> {
                    int manner = in.uint8();
                    observe = (manner & OBSERVE) != 0;
                    cautious = (manner & CAUTIOUS) != 0;
                    count = in.int32();
                    index = 0;
                    batch = in;
                    mutated = null;
                }
                case Wire.MUTATE -> {
                    cautious = (in.uint8() & CAUTIOUS) != 0;
                    mutated = new Mutants.Batch(in, project);
                    count = mutated.count();
                    index = 0;
                }
                default -> throw new IOException("unknown frame");
            }
        }
    }

    /**
     * Initialises the targets before all test cases. In a JVM of its own, each test case would run
     * their initialisers; without this, only the first test case would cover them. A class whose
     * initialiser fails is left to the test cases.
     */
    private boolean prepare() throws Throwable {
        slots.clearInitial();
        boolean probes = Sink.present() && config.prepares;
        for (preparing = 0; probes && preparing < config.targets.length; preparing++) {
            String target = config.targets[preparing];
            if (notAhead.contains(target)) {
                continue;
            }
            window = Window.INITIALISE;
            boolean failed = false;
            Sink.begin(config.eventBudget);
            watch.enter();
            try {
                Class.forName(target, true, project.loader());
            } catch (Throwable thrown) {
                failed = true;
            }
            if (!watch.leave()) {
                return false;
            }
            Sink.end();
            failed |= Sink.refused() != null;
            if (failed) {
                notAhead.add(target);
                Sink.forgetState();
                project.renew();
                slots.clearInitial();
                preparing = -1;
                continue;
            }
            slots.addInitial();
        }
        Thread.currentThread().setContextClassLoader(project.loader());
        replace |= !threads.endOfInitialisers();
        world.restore();
        prepared = true;
        return true;
    }

    /** Begins anew with other classes. All runs have ended, and what they changed has been put back. */
    private void reconfigure(Wire.Reader in) throws Throwable {
        config = new Config(in);
        if (!Sink.retarget(config.agent)) {
            throw new IOException("the agent takes no other classes");
        }
        limitNanos = config.candidateNanos;
        world = new World(config);
        project.close();
        project = new Project(config);
        slots = new Slots(config);
        threads = new Threads(group);
        classes.restart();
        snapshots.forget();
        plain.forget();
        notAhead.clear();
        batch = null;
        mutated = null;
        index = 0;
        count = 0;
        dirty = NO_CLASSES;
        freshLoaders = 0;
        reinitialised = 0;
        prepared = false;
        ready = false;
        Thread.currentThread().setContextClassLoader(project.loader());
    }

    /** Whether further classes may follow those of this configuration: each leaves a little behind. */
    private boolean mayServeAgain() throws Throwable {
        return !replace && !World.isHeapSpent() && Sink.classesLoaded() < MOST_CLASSES_LOADED;
    }

    private void renew() throws Throwable {
        Sink.forgetState();
        project.renew();
        classes.forget();
        snapshots.forget();
        prepared = false;
        dirty = NO_CLASSES;
        freshLoaders++;
        Thread.currentThread().setContextClassLoader(project.loader());
    }

    /** Executes the next test case. False: the watchdog has taken over. */
    private boolean executeNext() throws Throwable {
        Program program = new Program(batch.part(), project);
        if (!resolves(program)) {
            return true;
        }
        window = Window.RUN;
        Run run = new Run(program, config, threads, null, null);
        if (!run.execute(watch)) {
            return false;
        }
        conclude(program, run);
        if (observe && run.fitForObservation() && !replace) {
            return putBack(run) && (prepared || prepare()) && observe(program, run);
        }
        finish(null);
        return putBack(run);
    }

    /** Resolves the program. A test case that no JVM could execute gets its result at once. */
    private boolean resolves(Program program) throws IOException {
        try {
            program.resolve();
            return true;
        } catch (Illegal illegal) {
            frameEnd(End.illegal(illegal.statement, illegal.getMessage()));
            finish(null);
            return false;
        }
    }

    /**
     * A run has ended: completes its result but for the observation, and ends all that it left
     * running.
     */
    private void conclude(Program program, Run run) throws Throwable {
        frameRun(program, run);
        endThreads();
        if (run.end.heapExhausted) {
            run.values = null;
            replaceIfHeapIsSpent();
        }
        changedWorld = putStateBack();
        Class<?>[] restored = Sink.changed();
        changed = Arrays.copyOf(restored, restored.length + dirty.length);
        System.arraycopy(dirty, 0, changed, restored.length, dirty.length);
    }

    /**
     * Puts back the state of the JVM, and the static state that needs no initialiser. Returns what
     * {@link World#restore} does.
     */
    private int putStateBack() throws Throwable {
        dirty = Sink.dirty();
        return world.restore();
    }

    /**
     * Runs one test case under a mutant, or under none (0), with snapshots. False: the watchdog has
     * taken over.
     */
    private boolean mutateNext() throws Throwable {
        Program program = mutated.program(index);
        if (!resolves(program)) {
            return true;
        }
        window = Window.RUN;
        Wire.Writer observed = new Wire.Writer(0);
        int mutant = mutated.mutant(index);
        Run run = new Run(program, config, threads, observed, plain, mutant);
        if (!run.execute(watch)) {
            return false;
        }
        noted = mutant == 0 ? Mutants.noted() : NOTHING;
        conclude(program, run);
        finish(run.observedWhole ? observed : null);
        return putBack(run);
    }

    /**
     * Observes values in a run of its own. Observing calls code under test ({@code toString},
     * {@code size}), which must count neither as coverage nor as an effect of the statements. The
     * observation is valid where the run ends as the first one did.
     */
    private boolean observe(Program program, Run first) throws Throwable {
        try {
            program.resolve();
        } catch (Illegal illegal) {
            finish(null);
            return true;
        }
        window = Window.OBSERVE;
        Wire.Writer observed = new Wire.Writer(0);
        Run second = new Run(program, config, threads, observed, snapshots);
        if (!second.execute(watch)) {
            return false;
        }
        endThreads();
        finish(second.end.sameAs(first.end) ? observed : null);
        putStateBack();
        return putBack(second);
    }

    /** A result that consists of its end only. */
    private void frameEnd(End end) {
        frame.reset(Wire.RESULT).int32(index);
        end.write(frame, classes);
        frame.int32(0).int32(0).int16(0).int32(0);
        framed = true;
    }

    private void frameRun(Program program, Run run) throws Throwable {
        frame.reset(Wire.RESULT).int32(index);
        run.end.write(frame, classes);
        if (config.mode == Config.SEARCH) {
            slots.write(frame, program);
        } else {
            frame.int32(0).int32(0);
        }
        frame.int16(run.values.length);
        for (int i = 0; i < run.values.length; i++) {
            Object value = program.statements[i].shape == 'L' ? run.values[i] : null;
            if (value == null) {
                frame.int32(-1);
            } else {
                classes.write(frame, value.getClass());
            }
            frame.int8(i < run.end.statement ? run.outputs[i] : 0);
        }
        String[] seen = config.mode == Config.SEARCH ? Sink.seenStrings() : NO_STRINGS;
        frame.int32(seen.length);
        for (String one : seen) {
            frame.chars(one);
        }
        framed = true;
    }

    private void finish(Wire.Writer observed) throws IOException {
        if (observed == null) {
            frame.int8(0);
        } else {
            frame.int8(1).append(observed);
        }
        int flags = (replace ? REPLACE : 0) | (leftRunning ? LEFT_RUNNING : 0) | (leftIdle ? LEFT_IDLE : 0);
        frame.int8(flags).int32(freshLoaders).int32(reinitialised);
        frame.int32(noted.length);
        for (int one : noted) {
            frame.int32(one);
        }
        noted = NOTHING;
        frame.int16(changedWorld).int16(changed.length);
        for (Class<?> one : changed) {
            classes.write(frame, one);
        }
        changed = NO_CLASSES;
        changedWorld = 0;
        Wire.Writer announcement = classes.announcement();
        if (announcement != null) {
            wire.enqueue(announcement);
        }
        wire.enqueue(frame);
        if (cautious || replace) {
            wire.flush();
        }
        framed = false;
        leftRunning = false;
        leftIdle = false;
        index++;
    }

    private void endThreads() throws Throwable {
        switch (threads.await()) {
            case NOTHING -> {}
            case IDLE -> leftIdle = true;
            case RUNNING -> leftRunning = true;
        }
        replace |= !threads.end();
    }

    /**
     * Completes what {@link #putStateBack} began: dirty classes are initialised again, and where that
     * fails, a fresh class loader is made. False: the watchdog has taken over.
     */
    private boolean putBack(Run run) throws Throwable {
        run.values = null;
        if (run.end.brokeInitialisation || run.end.heapExhausted) {
            renew();
            return true;
        }
        if (dirty.length == 0) {
            return true;
        }
        window = Window.REINITIALISE;
        boolean whole = true;
        Sink.begin(config.eventBudget);
        watch.enter();
        try {
            for (Class<?> one : dirty) {
                whole &= Sink.reinitialise(one);
                reinitialised++;
            }
        } catch (Throwable thrown) {
            whole = false;
        }
        if (!watch.leave()) {
            return false;
        }
        Sink.end();
        if (Sink.refused() != null || !whole) {
            renew();
        }
        replace |= !threads.endOfInitialisers();
        world.restore();
        return true;
    }

    /**
     * Objects that filled the heap may still be reachable, for instance from a static field. Then
     * the next test cases get a JVM of their own. An array that was too large from the start leaves
     * nothing behind.
     */
    private void replaceIfHeapIsSpent() {
        if (World.isHeapSpent()) {
            System.gc();
            replace |= World.isHeapSpent();
        }
    }
}
