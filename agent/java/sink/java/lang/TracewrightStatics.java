package java.lang;

import java.util.Arrays;

/**
 * Static state that a run changes. Flows in: reads and writes of static fields, and initialisers;
 * flows out: the classes whose static state cannot be put back, and fresh static state. Must not
 * know how objects are captured: that is {@link TracewrightState}.
 */
public final class TracewrightStatics {
    /**
     * Budget of an initialiser, which is not that of the run. It runs once in a class loader, and
     * no run could use the class if it were stopped.
     */
    private static final long INITIALISER_BUDGET = 1L << 30;
    /** Budget of an initialiser that has been stopped before: it may be endless. */
    private static final long SECOND_BUDGET = 5_000_000;
    private static final String[] NO_NAMES = {};

    private TracewrightStatics() {}

    /** Initialises this class before any probe calls it. */
    static void configure() {}

    private static Class<?>[] dirty = new Class<?>[16];
    private static int dirtyCount;
    /** Classes that threads other than the owner wrote to; under the lock of this class. */
    private static final Class<?>[] foreignDirty = new Class<?>[64];
    private static volatile int foreignDirtyCount;
    /** Classes in order of initialisation, where a probe saw it. */
    private static Class<?>[] initialised = new Class<?>[64];
    private static int initialisedCount;
    /** Number of initialisers that are running on the owner's thread. Their changes stay. */
    private static volatile int initialising;
    /** What the run had left of its event budget when the first of them began. */
    private static long budgetOfRun;
    /** Names of the classes whose initialisers have been stopped. Its elements never change. */
    private static volatile String[] stopped = NO_NAMES;
    private static volatile Class<?>[] initialisers = new Class<?>[16];
    /** Classes whose initialisers changed state that is put back. */
    private static Class<?>[] undone = new Class<?>[4];
    private static int undoneCount;

    private static synchronized void forgetForeign() {
        Arrays.fill(foreignDirty, null);
        foreignDirtyCount = 0;
    }

    static void forgetRun() {
        if (foreignDirtyCount != 0) {
            forgetForeign();
        }
        Arrays.fill(dirty, 0, dirtyCount, null);
        dirtyCount = 0;
        initialising = 0;
        undoneCount = 0;
        TracewrightState.begin();
    }

    /** The classes of all loaders so far are given up. */
    static synchronized void forgetClasses() {
        TracewrightState.forget();
        forgetRun();
        forgetForeign();
        Arrays.fill(dirty, null);
        Arrays.fill(initialised, 0, initialisedCount, null);
        initialisedCount = 0;
        initialisers = new Class<?>[initialisers.length];
        undone = new Class<?>[undone.length];
        stopped = NO_NAMES;
    }

    /** Probe at the entry of a class initialiser. */
    public static void initialised(Class<?> type) {
        if (TracewrightSink.mode == TracewrightSink.OFF) {
            return;
        }
        noteInitialised(type);
        if (Thread.currentThread() == TracewrightSink.owner) {
            int depth = initialising;
            if (depth == initialisers.length) {
                initialisers = Arrays.copyOf(initialisers, 2 * depth);
            }
            initialisers[depth] = type;
            if (depth == 0) {
                budgetOfRun = TracewrightSink.budget;
            }
            initialising = depth + 1;
            TracewrightSink.budget = Math.max(TracewrightSink.budget, budget(type));
        } else if (TracewrightSink.isForeignOfRun()) {
            TracewrightSink.foreignBudget = Math.max(TracewrightSink.foreignBudget, budget(type));
        }
    }

    private static long budget(Class<?> type) {
        return wasStopped(type) ? SECOND_BUDGET : INITIALISER_BUDGET;
    }

    /** Probe before the returns of a class initialiser. */
    public static void ready() {
        int depth = initialising;
        if (depth > 0 && Thread.currentThread() == TracewrightSink.owner) {
            leave(depth - 1);
        }
    }

    /** Probe where an exception leaves a class initialiser. */
    public static void failed(Throwable thrown, Class<?> type) {
        int depth = initialising;
        if (depth > 0 && Thread.currentThread() == TracewrightSink.owner && initialisers[depth - 1] == type) {
            if (thrown instanceof TracewrightBudget) {
                noteStopped(type);
            }
            leave(depth - 1);
        }
    }

    private static void leave(int depth) {
        initialising = depth;
        if (depth == 0) {
            TracewrightSink.budget = budgetOfRun;
        }
    }

    private static synchronized void noteStopped(Class<?> type) {
        if (!wasStopped(type)) {
            String[] names = Arrays.copyOf(stopped, stopped.length + 1);
            names[stopped.length] = type.getName();
            stopped = names;
        }
    }

    private static boolean wasStopped(Class<?> type) {
        String[] names = stopped;
        if (names.length > 0) {
            String name = type.getName();
            for (String one : names) {
                if (one.equals(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Whether the owner runs an initialiser, and it has not been stopped before. Another thread
     * asks.
     */
    public static boolean isInitialising() {
        int depth = initialising;
        Class<?>[] types = initialisers;
        return depth > 0 && depth <= types.length && types[depth - 1] != null && !wasStopped(types[depth - 1]);
    }

    private static synchronized void noteInitialised(Class<?> type) {
        for (int i = initialisedCount; --i >= 0;) {
            if (initialised[i] == type) {
                return;
            }
        }
        if (initialisedCount == initialised.length) {
            initialised = Arrays.copyOf(initialised, 2 * initialisedCount);
        }
        initialised[initialisedCount++] = type;
    }

    /** Probe before {@code putstatic} that names {@code type}. */
    public static void staticWrite(Class<?> type) {
        if (Thread.currentThread() == TracewrightSink.owner) {
            if (initialising == 0) {
                Class<?> holder = holder(type);
                if (!TracewrightState.write(holder)) {
                    markDirty(holder);
                }
            }
        } else if (TracewrightSink.activeRun != 0) {
            foreignDirty(type);
        }
    }

    /**
     * A write by a thread that the run started. Threads of the runner, and what they initialise,
     * are ignored.
     */
    private static synchronized void foreignDirty(Class<?> type) {
        if (Thread.currentThread().getId() > TracewrightSink.ownThreads) {
            Class<?> holder = holder(type);
            for (int i = 0; i < foreignDirtyCount; i++) {
                if (foreignDirty[i] == holder) {
                    return;
                }
            }
            if (foreignDirtyCount < foreignDirty.length) {
                foreignDirty[foreignDirtyCount++] = holder;
            }
        }
    }

    /** The class that declares the static fields: a reference to a field may name a subclass. */
    private static Class<?> holder(Class<?> type) {
        Class<?> holder = type;
        while (!TracewrightClasses.staticFields(holder).any) {
            holder = holder.getSuperclass();
            if (holder == null || holder.getClassLoader() == null) {
                return type;
            }
        }
        return holder;
    }

    /**
     * Probe after {@code getstatic} of a reference. What the run does to the object is not
     * observed, so a mutable object counts as changed.
     */
    public static void staticRead(Object value, Class<?> type) {
        if (value == null) {
            return;
        }
        if (Thread.currentThread() == TracewrightSink.owner) {
            noteRead(value, type);
        } else if (TracewrightSink.activeRun != 0 && TracewrightClasses.isMutable(value.getClass())) {
            foreignDirty(type);
        }
    }

    private static void noteRead(Object value, Class<?> type) {
        Class<?> of = value.getClass();
        if (type.getClassLoader() == null || !of.isArray() && TracewrightState.layout(of).leaf && !TracewrightState.layout(of).opaque) {
            return;
        }
        if (initialising > 0) {
            if (TracewrightState.initialiserReads(value)) {
                undoes(initialisers[initialising - 1]);
            }
        } else if (!TracewrightState.read(value, holder(type))) {
            markDirty(holder(type));
        }
    }

    /**
     * The initialiser runs again after the run, on the state that was put back. One that cannot run
     * again stays as it is.
     */
    private static void undoes(Class<?> type) {
        if (type.isEnum() || type.isInterface()) {
            return;
        }
        if (undoneCount == undone.length) {
            undone = Arrays.copyOf(undone, 2 * undoneCount);
        }
        undone[undoneCount++] = type;
    }

    private static void markDirty(Class<?> type) {
        for (int i = dirtyCount; --i >= 0;) {
            if (dirty[i] == type) {
                return;
            }
        }
        if (dirtyCount == dirty.length) {
            dirty = Arrays.copyOf(dirty, 2 * dirtyCount);
        }
        dirty[dirtyCount++] = type;
    }

    /**
     * Puts back what the run did to static state. Returns the classes where that was impossible, in
     * order of initialisation: their initialisers must run again.
     */
    public static Class<?>[] dirty() {
        TracewrightState.restore();
        for (int i = 0; i < undoneCount; i++) {
            markDirty(undone[i]);
        }
        for (int i = 0; i < foreignDirtyCount; i++) {
            markDirty(foreignDirty[i]);
        }
        Class<?>[] found = Arrays.copyOf(dirty, dirtyCount);
        if (found.length > 1) {
            sortByInitialisation(found);
        }
        return found;
    }

    /**
     * The classes whose static state the last run changed, as {@link #dirty} found it. Those that
     * could not be put back are not among them.
     */
    public static Class<?>[] changed() {
        return TracewrightState.changed();
    }

    /** Forgets all captured state: the class loader of the code under test is given up. */
    public static void forgetState() {
        TracewrightState.forget();
    }

    private static synchronized void sortByInitialisation(Class<?>[] types) {
        int next = 0;
        // A class that no probe saw has no initialiser, or ran it before the agent came: it comes
        // first.
        for (int i = -1; i < initialisedCount; i++) {
            for (int j = next; j < types.length; j++) {
                if (i < 0 ? !isInitialised(types[j]) : types[j] == initialised[i]) {
                    Class<?> type = types[j];
                    System.arraycopy(types, next, types, next + 1, j - next);
                    types[next++] = type;
                }
            }
        }
    }

    private static boolean isInitialised(Class<?> type) {
        for (int i = 0; i < initialisedCount; i++) {
            if (initialised[i] == type) {
                return true;
            }
        }
        return false;
    }

    /**
     * Zeroes the static fields and runs the class initialiser again. To be called between runs. The
     * initialiser gets an event budget of its own, and its distances are not recorded. False: not
     * possible, for an enum or an interface, final fields, or an initialiser that fails.
     */
    public static boolean reinitialise(Class<?> type) {
        if (type.isEnum() || type.isInterface() || type.isArray() || type.isPrimitive() || !TracewrightClasses.zero(type)) {
            return false;
        }
        double[] keptBranches = TracewrightSearch.branches;
        byte[] keptLines = TracewrightSearch.lines;
        Thread keptOwner = TracewrightSink.owner;
        long keptBudget = TracewrightSink.budget;
        TracewrightSearch.branches = new double[keptBranches.length];
        TracewrightSearch.lines = new byte[keptLines.length];
        TracewrightSink.budget = budget(type);
        TracewrightSink.owner = TracewrightSink.mode == TracewrightSink.SEARCH ? Thread.currentThread() : null;
        int keptDirty = dirtyCount;
        initialisers[0] = type;
        initialising = 1;
        // Objects that other classes hold of this class are no longer those of its fields.
        TracewrightState.forget();
        try {
            return runInitialiser(type);
        } finally {
            initialising = 0;
            TracewrightSink.owner = keptOwner;
            TracewrightSink.budget = keptBudget;
            TracewrightSearch.branches = keptBranches;
            TracewrightSearch.lines = keptLines;
            dirtyCount = keptDirty;
        }
    }

    /** Calls {@code <clinit>}. True also where there is none. */
    private static native boolean runInitialiser(Class<?> type);
}
