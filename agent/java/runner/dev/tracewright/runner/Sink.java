package dev.tracewright.runner;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Locale;
import java.util.TimeZone;

/**
 * The agent's sink (classes {@code java.lang.Tracewright*}), found by name. Flows in: calls of the
 * runner; flows out: calls of the sink. Without an agent (compile server, plain JUnit runs) all
 * methods do nothing. Handles in static final fields cost as much as direct calls.
 */
final class Sink {
    static final Class<?> SINK = find("java.lang.TracewrightSink");
    private static final Class<?> SEARCH = find("java.lang.TracewrightSearch");
    private static final Class<?> STATICS = find("java.lang.TracewrightStatics");
    private static final Class<?> THREADS = find("java.lang.TracewrightThreads");
    private static final Class<?> TRACE = find("java.lang.TracewrightTrace");
    private static final Class<?> GUARD = find("java.lang.TracewrightGuard");
    /** Begins the names of options: the name of a property follows. */
    private static final String TOLD = "tracewright.told.";
    private static final Class<?> PRETENCE = find("java.lang.TracewrightRelease");
    private static final Class<?> BUDGET = find("java.lang.TracewrightBudget");
    private static final Class<?> REFUSAL = find("java.lang.TracewrightRefusal");
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private static final MethodHandle BEGIN = method(SEARCH, "begin", void.class, long.class);
    private static final MethodHandle END = method(SEARCH, "end", void.class);
    private static final MethodHandle BRANCHES = getter(SEARCH, "branches", double[].class);
    private static final MethodHandle LINES = getter(SEARCH, "lines", byte[].class);
    private static final MethodHandle STATIC_READ = method(STATICS, "staticRead", void.class, Object.class, Class.class);
    private static final MethodHandle STATIC_WRITE = method(STATICS, "staticWrite", void.class, Class.class);
    private static final MethodHandle DIRTY = method(STATICS, "dirty", Class[].class);
    private static final MethodHandle CHANGED = method(STATICS, "changed", Class[].class);
    private static final MethodHandle FORGET_STATE = method(STATICS, "forgetState", void.class);
    private static final MethodHandle SEEN = method(SEARCH, "seenStrings", String[].class);
    private static final MethodHandle RUN_BEGIN = method(TRACE, "runBegin", void.class);
    private static final MethodHandle STATEMENT = method(TRACE, "statement", void.class, int.class);
    private static final MethodHandle RESULT32 = method(TRACE, "result32", void.class, int.class, int.class);
    private static final MethodHandle RESULT64 = method(TRACE, "result64", void.class, int.class, long.class);
    private static final MethodHandle RESULT_REF = method(TRACE, "resultRef", void.class, int.class, Object.class);
    private static final MethodHandle RESULT_VOID = method(TRACE, "resultVoid", void.class, int.class);
    private static final MethodHandle THROWN = method(TRACE, "thrown", void.class, int.class, Throwable.class);
    private static final MethodHandle RUN_END = method(TRACE, "runEnd", void.class, int.class);
    private static final MethodHandle ARM = method(GUARD, "arm", void.class, String.class);
    private static final MethodHandle PRETEND = method(PRETENCE, "pretend", void.class, String.class);
    private static final MethodHandle REFUSED = method(GUARD, "refused", String.class);
    private static final MethodHandle REINITIALISE = method(STATICS, "reinitialise", boolean.class, Class.class);
    private static final MethodHandle THREADS_STARTED = getter(SINK, "threadsStarted", int.class);
    private static final MethodHandle DISARM = method(GUARD, "disarm", void.class);
    private static final MethodHandle RETARGET = method(SINK, "retarget", boolean.class, String.class);
    private static final MethodHandle STOP = method(SINK, "stop", void.class, Thread.class);
    private static final MethodHandle CLASSES_LOADED = method(SINK, "classesLoaded", long.class);
    private static final MethodHandle NANO_TIME = method(SINK, "nanoTime", long.class);
    private static final MethodHandle CPU_NANOS = method(SINK, "cpuNanos", long.class, Thread.class);

    private static final MethodHandle INITIALISING = method(STATICS, "isInitialising", boolean.class);
    private static final MethodHandle EXHAUSTED = method(SINK, "foreignExhausted", boolean.class);
    private static final MethodHandle END_WORKERS = method(THREADS, "endWorkers", boolean.class, Thread.class);
    private static final MethodHandle RELEASE = method(THREADS, "release", void.class);
    private static final MethodHandle VIRTUAL_REST = method(THREADS, "virtualThreadsRest", boolean.class);

    private static final double[] NO_BRANCHES = {};
    private static final byte[] NO_LINES = {};
    private static final Class<?>[] NO_CLASSES = {};
    private static final String[] NO_STRINGS = {};

    private Sink() {}

    static boolean present() {
        return SINK != null;
    }

    static boolean isBudget(Throwable thrown) {
        return BUDGET != null && BUDGET.isInstance(thrown);
    }

    static boolean isRefusal(Throwable thrown) {
        return REFUSAL != null && REFUSAL.isInstance(thrown);
    }

    static void begin(long eventBudget) throws Throwable {
        if (BEGIN != null) {
            BEGIN.invokeExact(eventBudget);
        }
    }

    static void end() throws Throwable {
        if (END != null) {
            END.invokeExact();
        }
    }

    static double[] branches() throws Throwable {
        double[] branches = BRANCHES == null ? null : (double[]) BRANCHES.invokeExact();
        return branches == null ? NO_BRANCHES : branches;
    }

    static byte[] lines() throws Throwable {
        byte[] lines = LINES == null ? null : (byte[]) LINES.invokeExact();
        return lines == null ? NO_LINES : lines;
    }

    /** What the probes of a class do at an access of its own static fields. */
    static void staticRead(Object value, Class<?> owner) throws Throwable {
        if (STATIC_READ != null) {
            STATIC_READ.invokeExact(value, (Class) owner);
        }
    }

    static void staticWrite(Class<?> owner) throws Throwable {
        if (STATIC_WRITE != null) {
            STATIC_WRITE.invokeExact((Class) owner);
        }
    }

    static Class<?>[] dirty() throws Throwable {
        Class<?>[] dirty = DIRTY == null ? null : (Class<?>[]) (Class[]) DIRTY.invokeExact();
        return dirty == null ? NO_CLASSES : dirty;
    }

    /** The classes whose static state {@link #dirty} found changed and has put back. */
    static Class<?>[] changed() throws Throwable {
        Class<?>[] changed = CHANGED == null ? null : (Class<?>[]) (Class[]) CHANGED.invokeExact();
        return changed == null ? NO_CLASSES : changed;
    }

    /** The class loader of the code under test is given up. */
    static void forgetState() throws Throwable {
        if (FORGET_STATE != null) {
            FORGET_STATE.invokeExact();
        }
    }

    static String[] seenStrings() throws Throwable {
        String[] seen = SEEN == null ? null : (String[]) SEEN.invokeExact();
        return seen == null ? NO_STRINGS : seen;
    }

    static void runBegin() throws Throwable {
        if (RUN_BEGIN != null) {
            RUN_BEGIN.invokeExact();
        }
    }

    static void statement(int index) throws Throwable {
        if (STATEMENT != null) {
            STATEMENT.invokeExact(index);
        }
    }

    static void result32(int index, int value) throws Throwable {
        if (RESULT32 != null) {
            RESULT32.invokeExact(index, value);
        }
    }

    static void result64(int index, long value) throws Throwable {
        if (RESULT64 != null) {
            RESULT64.invokeExact(index, value);
        }
    }

    static void resultRef(int index, Object value) throws Throwable {
        if (RESULT_REF != null) {
            RESULT_REF.invokeExact(index, value);
        }
    }

    static void resultVoid(int index) throws Throwable {
        if (RESULT_VOID != null) {
            RESULT_VOID.invokeExact(index);
        }
    }

    static void thrown(int index, Throwable thrown) throws Throwable {
        if (THROWN != null) {
            THROWN.invokeExact(index, thrown);
        }
    }

    static void runEnd(int verdict) throws Throwable {
        if (RUN_END != null) {
            RUN_END.invokeExact(verdict);
        }
    }

    static void arm(String temporaryFolder) throws Throwable {
        if (ARM != null) {
            ARM.invokeExact(temporaryFolder);
        }
    }

    /** The runner is about to end this JVM itself. */
    static void disarm() throws Throwable {
        if (DISARM != null) {
            DISARM.invokeExact();
        }
    }

    /** Threads started in this JVM; 0 without an agent. */
    static int threadsStarted() throws Throwable {
        return THREADS_STARTED == null ? 0 : (int) THREADS_STARTED.invokeExact();
    }

    /**
     * Tells code that this JVM is of the release that its options name, if there is one, and that
     * the properties which they name have other values, or none.
     */
    static void pretend() throws Throwable {
        // The JDK reads its own settings once, and before they are changed.
        Locale.getDefault();
        TimeZone.getDefault();
        for (String option : System.getProperties().stringPropertyNames()) {
            if (option.startsWith(TOLD)) {
                String name = option.substring(TOLD.length());
                String value = System.clearProperty(option);
                if (value.isEmpty()) {
                    System.clearProperty(name);
                } else {
                    System.setProperty(name, value);
                }
            }
        }
        String release = System.clearProperty("tracewright.release");
        if (release != null && PRETEND != null) {
            PRETEND.invokeExact(release);
        }
    }

    /** What was refused since the last call, or null. */
    static String refused() throws Throwable {
        return REFUSED == null ? null : (String) REFUSED.invokeExact();
    }

    static boolean reinitialise(Class<?> dirty) throws Throwable {
        return REINITIALISE != null && (boolean) REINITIALISE.invokeExact((Class) dirty);
    }

    /** The agent measures the classes that its new configuration file names. False: it cannot. */
    static boolean retarget(String file) throws Throwable {
        return RETARGET == null || (boolean) RETARGET.invokeExact(file);
    }

    static void stop(Thread thread) throws Throwable {
        if (STOP != null) {
            STOP.invokeExact(thread);
        } else {
            thread.interrupt();
        }
    }

    /** CPU time of a thread; -1 where nothing can tell. */
    static long cpuNanos(Thread thread) throws Throwable {
        return CPU_NANOS == null ? -1 : (long) CPU_NANOS.invokeExact(thread);
    }

    /** The machine's nanoseconds, where the clock of this JVM may be another. */
    static long nanoTime() {
        try {
            return NANO_TIME == null ? System.nanoTime() : (long) NANO_TIME.invokeExact();
        } catch (Throwable impossible) {
            throw new LinkageError("the agent and the runner do not fit", impossible);
        }
    }

    /** Number of class files that this JVM has loaded; 0 where nothing can tell. */
    static long classesLoaded() throws Throwable {
        return CLASSES_LOADED == null ? 0 : (long) CLASSES_LOADED.invokeExact();
    }

    /** Whether the thread that executes test cases runs a class initialiser. */
    static boolean initialising() throws Throwable {
        return INITIALISING != null && (boolean) INITIALISING.invokeExact();
    }

    /** Whether other threads of the last run have used their event budget up. */
    static boolean foreignExhausted() throws Throwable {
        return EXHAUSTED != null && (boolean) EXHAUSTED.invokeExact();
    }

    /**
     * Makes the pool of this thread end its workers. False: it has none, or they do not end by
     * themselves.
     */
    static boolean endWorkers(Thread thread) throws Throwable {
        return END_WORKERS != null && (boolean) END_WORKERS.invokeExact(thread);
    }

    /** Makes the pools of {@link #endWorkers} usable again. */
    static void releasePools() throws Throwable {
        if (RELEASE != null) {
            RELEASE.invokeExact();
        }
    }

    /** Whether no virtual thread runs; true where nothing can tell. */
    static boolean virtualThreadsRest() throws Throwable {
        return VIRTUAL_REST == null || (boolean) VIRTUAL_REST.invokeExact();
    }

    static Class<?> find(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException absent) {
            return null;
        }
    }

    private static MethodHandle method(Class<?> owner, String name, Class<?> returned, Class<?>... parameters) {
        if (owner == null) {
            return null;
        }
        try {
            return LOOKUP.findStatic(owner, name, MethodType.methodType(returned, parameters));
        } catch (ReflectiveOperationException wrong) {
            throw new LinkageError("the agent and the runner do not fit: no " + name, wrong);
        }
    }

    private static MethodHandle getter(Class<?> owner, String name, Class<?> type) {
        if (owner == null) {
            return null;
        }
        try {
            return LOOKUP.findStaticGetter(owner, name, type);
        } catch (ReflectiveOperationException wrong) {
            throw new LinkageError("the agent and the runner do not fit: no " + name, wrong);
        }
    }
}
