package java.lang;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ForkJoinWorkerThread;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Where probes write. Flows in: operands and site numbers from rewritten code, commands of the sequence runner; flows out: branch
 * distances and lines (search), event words (trace), refusals (guard). Defined in {@code java.lang} with the null loader so that
 * every class sees it. It must not run code under test, and while {@link #mode} is 0 it calls nothing at all.
 *
 * <p>Probes are called with the operands of the probed instruction duplicated; all of them are static and return nothing.
 */
public final class TracewrightSink {
    public static final int OFF = 0;
    public static final int SEARCH = 1;
    public static final int TRACE = 2;
    public static final int GUARD = 3;

    /** Elements of a string or array written into a trace at most. */
    static final int CONTENT_BOUND = 4096;

    /** One of {@link #OFF} to {@link #GUARD}; set once by the agent. */
    public static int mode;

    private TracewrightSink() {}

    // ------------------------------------------------------------------------------------------------------------------ runs

    /** The thread whose events count; null between runs. */
    private static Thread owner;
    /** Number of the run that is going on, 0 between runs. Volatile: threads that a run left behind look at it. */
    private static volatile long activeRun;
    private static long runs;
    /** Threads with an id up to this one were there before the first run: they belong to the JVM or to the runner. */
    private static volatile long ownThreads = Long.MAX_VALUE;
    /** What is left of the event budget: method entries and back edges. */
    private static long budget;
    /**
     * What an initialiser may take at least: it runs once a class loader, and where it were broken off the class could not be used by any
     * run. What it leaves is the run's; so the run that initialises a class first may be longer than others.
     */
    private static final long INITIALISER_BUDGET = 5_000_000;
    /** The run each foreign thread was first seen in; -1: it is the runner's. */
    private static final ThreadLocal<long[]> FIRST_SEEN = new ThreadLocal<>();

    /** Called by the agent after it has defined this class. */
    static void configure(int mode, int branchSlots, int lineSlots, long eventCap, boolean everyThread) {
        branches = new double[branchSlots];
        lines = new byte[lineSlots];
        Arrays.fill(branches, Double.NaN);
        TracewrightSink.eventCap = eventCap > Long.MAX_VALUE / 4 ? Long.MAX_VALUE : 4 * eventCap;
        TracewrightSink.everyThread = everyThread;
        TracewrightSink.mode = mode;
    }

    /** Called by the agent in a VM that is not ours, before {@link #configure}. */
    static void recordRuns() {
        TracewrightRun.enabled = true;
    }

    private static void startRun() {
        Thread current = Thread.currentThread();
        if (runs == 0) {
            // The id a thread created now gets: what is below was there before.
            ownThreads = new Thread("tracewright-mark").getId();
        }
        long[] seen = FIRST_SEEN.get();
        if (seen == null || seen[0] != -1) {
            FIRST_SEEN.set(new long[] {-1});
        }
        runs++;
        activeRun = runs;
        owner = current;
    }

    private static void endRun() {
        owner = null;
        activeRun = 0;
    }

    /** Search: forgets the run before, makes this thread the owner and arms the budget. */
    public static void begin(long eventBudget) {
        Arrays.fill(branches, Double.NaN);
        Arrays.fill(lines, (byte) 0);
        Arrays.fill(seenStrings, 0, seenCount, null);
        seenCount = 0;
        forgetStatics();
        pending = Double.NaN;
        budget = eventBudget;
        startRun();
    }

    /** Search: ends the run. Its results stay until the next {@link #begin}. */
    public static void end() {
        endRun();
    }

    /** Counts up with every thread that is started; the guard puts the call there. */
    public static volatile int threadsStarted;

    public static synchronized void threadStarts() {
        threadsStarted++;
    }

    /** Probe at method entries and back edges. */
    public static void tick() {
        if (Thread.currentThread() == owner) {
            if (--budget < 0) {
                throw new TracewrightBudget();
            }
        } else if (mode != OFF) {
            foreign();
        }
    }

    /** A probe on a thread that does not own the run: ends it when the run that started it has ended. */
    private static void foreign() {
        Thread current = Thread.currentThread();
        if (current.getId() <= ownThreads) {
            return;
        }
        long run = activeRun;
        long[] seen = FIRST_SEEN.get();
        if (seen == null) {
            FIRST_SEEN.set(new long[] {run != 0 ? run : runs});
        } else if (seen[0] != -1 && seen[0] != run) {
            // Threads of the common pool outlive a run for a good reason: they end with it only while none is going on.
            if (run != 0 && current instanceof ForkJoinWorkerThread) {
                seen[0] = run;
            } else {
                throw new TracewrightBudget();
            }
        }
    }

    // ---------------------------------------------------------------------------------------------------------------- search

    /** Least distance by branch slot; NaN: not reached. */
    public static double[] branches = new double[0];
    /** 1 where a line slot was executed. */
    public static byte[] lines = new byte[0];
    /** Distance that a comparison left for the jump right behind it; NaN: none. */
    private static double pending = Double.NaN;

    public static void line(int slot) {
        if (Thread.currentThread() == owner) {
            lines[slot] = 1;
        }
    }

    private static void set(int slot, double notTaken, double taken) {
        double[] distances = branches;
        if (!(distances[slot] <= notTaken)) {
            distances[slot] = notTaken;
        }
        if (!(distances[slot + 1] <= taken)) {
            distances[slot + 1] = taken;
        }
    }

    public static void icmpEq(int a, int b, int slot) {
        if (Thread.currentThread() == owner) {
            if (a == b) {
                set(slot, 1, 0);
            } else {
                set(slot, 0, Math.abs((double) a - b));
            }
        }
    }

    public static void icmpNe(int a, int b, int slot) {
        if (Thread.currentThread() == owner) {
            if (a != b) {
                set(slot, Math.abs((double) a - b), 0);
            } else {
                set(slot, 0, 1);
            }
        }
    }

    public static void icmpLt(int a, int b, int slot) {
        if (Thread.currentThread() == owner) {
            if (a < b) {
                set(slot, (double) b - a, 0);
            } else {
                set(slot, 0, (double) a - b + 1);
            }
        }
    }

    public static void icmpGe(int a, int b, int slot) {
        if (Thread.currentThread() == owner) {
            if (a >= b) {
                set(slot, (double) a - b + 1, 0);
            } else {
                set(slot, 0, (double) b - a);
            }
        }
    }

    public static void icmpGt(int a, int b, int slot) {
        if (Thread.currentThread() == owner) {
            if (a > b) {
                set(slot, (double) a - b, 0);
            } else {
                set(slot, 0, (double) b - a + 1);
            }
        }
    }

    public static void icmpLe(int a, int b, int slot) {
        if (Thread.currentThread() == owner) {
            if (a <= b) {
                set(slot, (double) b - a + 1, 0);
            } else {
                set(slot, 0, (double) a - b);
            }
        }
    }

    public static void ifEq(int a, int slot) {
        icmpEq(a, 0, slot);
    }

    public static void ifNe(int a, int slot) {
        icmpNe(a, 0, slot);
    }

    public static void ifLt(int a, int slot) {
        icmpLt(a, 0, slot);
    }

    public static void ifGe(int a, int slot) {
        icmpGe(a, 0, slot);
    }

    public static void ifGt(int a, int slot) {
        icmpGt(a, 0, slot);
    }

    public static void ifLe(int a, int slot) {
        icmpLe(a, 0, slot);
    }

    public static void acmpEq(Object a, Object b, int slot) {
        if (Thread.currentThread() == owner) {
            set(slot, a == b ? 1 : 0, a == b ? 0 : 1);
        }
    }

    public static void acmpNe(Object a, Object b, int slot) {
        if (Thread.currentThread() == owner) {
            set(slot, a != b ? 1 : 0, a != b ? 0 : 1);
        }
    }

    public static void nullEq(Object a, int slot) {
        acmpEq(a, null, slot);
    }

    public static void nullNe(Object a, int slot) {
        acmpNe(a, null, slot);
    }

    /** A {@code tableswitch}: slot + i is key low + i, the last slot the default. */
    public static void tableSwitch(int key, int low, int high, int slot) {
        if (Thread.currentThread() != owner) {
            return;
        }
        double[] distances = branches;
        int count = high - low + 1;
        for (int i = 0; i < count; i++) {
            double distance = Math.abs((double) key - ((double) low + i));
            if (!(distances[slot + i] <= distance)) {
                distances[slot + i] = distance;
            }
        }
        double distance = key < low || key > high ? 0 : Math.min((double) key - low, (double) high - key) + 1;
        if (!(distances[slot + count] <= distance)) {
            distances[slot + count] = distance;
        }
    }

    /** A {@code lookupswitch}: three characters of 15 bits a key, the highest first; then as {@link #tableSwitch}. */
    public static void lookupSwitch(int key, String keys, int slot) {
        if (Thread.currentThread() != owner) {
            return;
        }
        double[] distances = branches;
        int count = keys.length() / 3;
        boolean isDefault = true;
        for (int i = 0; i < count; i++) {
            int other = keys.charAt(3 * i) << 30 | keys.charAt(3 * i + 1) << 15 | keys.charAt(3 * i + 2);
            isDefault &= key != other;
            double distance = Math.abs((double) key - other);
            if (!(distances[slot + i] <= distance)) {
                distances[slot + i] = distance;
            }
        }
        double distance = isDefault ? 0 : 1;
        if (!(distances[slot + count] <= distance)) {
            distances[slot + count] = distance;
        }
    }

    // Comparisons leave their distance to the jump behind them.

    /** {@code lcmp}; of two values on the stack, only the upper one can be copied below the other, so they come in reverse. */
    public static void noteLongs(long b, long a) {
        if (Thread.currentThread() == owner) {
            pending = a == b ? 0 : Math.max(1, Math.abs((double) a - (double) b));
        }
    }

    /** {@code fcmpl}, {@code fcmpg}. */
    public static void noteFloats(float a, float b) {
        noteDoubles(a, b);
    }

    /** {@code dcmpl}, {@code dcmpg}. */
    public static void noteDoubles(double b, double a) {
        if (Thread.currentThread() == owner) {
            double distance = Math.abs(a - b);
            // NaN, or an infinity: nothing nearer can be said.
            pending = a == b ? 0 : distance <= Double.MAX_VALUE ? distance : Double.MAX_VALUE;
        }
    }

    /** The gap of the comparison right before; an own value's when another way led here. */
    private static double takeGap(int comparison) {
        double gap = pending;
        pending = Double.NaN;
        return gap == gap ? gap : Math.abs(comparison);
    }

    public static void compareEq(int comparison, int slot) {
        if (Thread.currentThread() == owner) {
            double gap = takeGap(comparison);
            set(slot, comparison == 0 ? 1 : 0, comparison == 0 ? 0 : gap);
        }
    }

    public static void compareNe(int comparison, int slot) {
        if (Thread.currentThread() == owner) {
            double gap = takeGap(comparison);
            set(slot, comparison != 0 ? gap : 0, comparison != 0 ? 0 : 1);
        }
    }

    public static void compareLt(int comparison, int slot) {
        if (Thread.currentThread() == owner) {
            double gap = takeGap(comparison);
            set(slot, comparison < 0 ? gap : 0, comparison < 0 ? 0 : gap + 1);
        }
    }

    public static void compareGe(int comparison, int slot) {
        if (Thread.currentThread() == owner) {
            double gap = takeGap(comparison);
            set(slot, comparison >= 0 ? gap + 1 : 0, comparison >= 0 ? 0 : gap);
        }
    }

    public static void compareGt(int comparison, int slot) {
        if (Thread.currentThread() == owner) {
            double gap = takeGap(comparison);
            set(slot, comparison > 0 ? gap : 0, comparison > 0 ? 0 : gap + 1);
        }
    }

    public static void compareLe(int comparison, int slot) {
        if (Thread.currentThread() == owner) {
            double gap = takeGap(comparison);
            set(slot, comparison <= 0 ? gap + 1 : 0, comparison <= 0 ? 0 : gap);
        }
    }

    // A boolean that a string comparison returned: `pending` is the distance to true (0: it is true).

    public static void booleanEq(int value, int slot) {
        if (Thread.currentThread() == owner) {
            double distance = takeDistance(value);
            set(slot, value == 0 ? distance : 0, value == 0 ? 0 : 1);
        }
    }

    public static void booleanNe(int value, int slot) {
        if (Thread.currentThread() == owner) {
            double distance = takeDistance(value);
            set(slot, value != 0 ? 1 : 0, value != 0 ? 0 : distance);
        }
    }

    /** More than 0 when the value is false. */
    private static double takeDistance(int value) {
        double distance = pending;
        pending = Double.NaN;
        return value == 0 && distance > 0 ? distance : 1;
    }

    // Before a call whose result is a condition. The receiver may be null: then the call throws, not the probe.

    /** {@code String.equals}, {@code Object.equals}, {@code Objects.equals}. */
    public static void noteEquals(Object a, Object b) {
        if (Thread.currentThread() == owner) {
            pending = Double.NaN;
            if (a instanceof String && b instanceof String) {
                String s = (String) a;
                String t = (String) b;
                seen(s);
                seen(t);
                pending = distance(s, 0, t, 0, false);
            }
        }
    }

    public static void noteEqualsIgnoreCase(String a, String b) {
        if (Thread.currentThread() == owner) {
            pending = Double.NaN;
            if (a != null && b != null) {
                seen(a);
                seen(b);
                pending = distance(a, 0, b, 0, true);
            }
        }
    }

    public static void noteStartsWith(String text, String prefix) {
        if (Thread.currentThread() == owner) {
            pending = Double.NaN;
            if (text != null && prefix != null) {
                seen(text);
                seen(prefix);
                pending = partDistance(text, 0, prefix);
            }
        }
    }

    public static void noteEndsWith(String text, String suffix) {
        if (Thread.currentThread() == owner) {
            pending = Double.NaN;
            if (text != null && suffix != null) {
                seen(text);
                seen(suffix);
                pending = partDistance(text, Math.max(0, text.length() - suffix.length()), suffix);
            }
        }
    }

    /** {@code String.contains}; other sequences than strings are not looked into, since their code could be the user's. */
    public static void noteContains(String text, Object part) {
        if (Thread.currentThread() == owner) {
            pending = Double.NaN;
            if (text != null && part instanceof String) {
                String s = (String) part;
                seen(text);
                seen(s);
                double least = partDistance(text, 0, s);
                int last = Math.min(text.length() - s.length(), STRING_BOUND);
                for (int i = 1; i <= last && least > 0; i++) {
                    least = Math.min(least, partDistance(text, i, s));
                }
                pending = least;
            }
        }
    }

    public static void noteIsEmpty(String text) {
        if (Thread.currentThread() == owner) {
            pending = text == null ? Double.NaN : text.length();
        }
    }

    /** Characters of either string that a distance looks at. */
    private static final int STRING_BOUND = 512;

    /** 0: equal. Each missing character counts 1, a differing one less than 1, the nearer the less. */
    private static double distance(String a, int from, String b, int fromB, boolean ignoreCase) {
        int lengthA = a.length() - from;
        int lengthB = b.length() - fromB;
        double distance = Math.abs(lengthA - lengthB);
        int common = Math.min(Math.min(lengthA, lengthB), STRING_BOUND);
        for (int i = 0; i < common; i++) {
            char c = a.charAt(from + i);
            char d = b.charAt(fromB + i);
            if (c != d) {
                int gap = Math.abs(c - d);
                if (ignoreCase) {
                    gap = Math.min(gap, Math.min(Math.abs(Character.toUpperCase(c) - Character.toUpperCase(d)),
                            Math.abs(Character.toLowerCase(c) - Character.toLowerCase(d))));
                }
                distance += gap / (gap + 1.0);
            }
        }
        return distance;
    }

    /** Distance of the part of {@code text} at {@code from} to {@code part}. */
    private static double partDistance(String text, int from, String part) {
        int there = Math.min(text.length() - from, part.length());
        double distance = part.length() - there;
        int common = Math.min(there, STRING_BOUND);
        for (int i = 0; i < common; i++) {
            int gap = Math.abs(text.charAt(from + i) - part.charAt(i));
            distance += gap / (gap + 1.0);
        }
        return distance;
    }

    private static final String[] seenStrings = new String[64];
    private static int seenCount;

    private static void seen(String string) {
        if (string.length() > 256 || seenCount == seenStrings.length) {
            return;
        }
        for (int i = 0; i < seenCount; i++) {
            if (seenStrings[i] == string || seenStrings[i].equals(string)) {
                return;
            }
        }
        seenStrings[seenCount++] = string;
    }

    /** Strings that the run compared with something, in order of first use; at most 64, each of at most 256 characters. */
    public static String[] seenStrings() {
        return Arrays.copyOf(seenStrings, seenCount);
    }

    // ---------------------------------------------------------------------------------------------------------- static state

    private static Class<?>[] dirty = new Class<?>[16];
    private static int dirtyCount;
    /** The same of other threads than the owner, under the lock of this class. */
    private static final Class<?>[] foreignDirty = new Class<?>[64];
    private static volatile int foreignDirtyCount;
    /** Classes in order of initialisation, as far as they have an initialiser that was probed. */
    private static Class<?>[] initialised = new Class<?>[64];
    private static int initialisedCount;
    /** Initialisers that are running on the owner's thread. What they do stays. */
    private static int initialising;
    private static Class<?>[] initialisers = new Class<?>[16];
    /** Classes whose initialisers changed what is put back. */
    private static Class<?>[] undone = new Class<?>[4];
    private static int undoneCount;

    private static synchronized void forgetForeign() {
        Arrays.fill(foreignDirty, null);
        foreignDirtyCount = 0;
    }

    private static void forgetStatics() {
        if (foreignDirtyCount != 0) {
            forgetForeign();
        }
        Arrays.fill(dirty, 0, dirtyCount, null);
        dirtyCount = 0;
        initialising = 0;
        undoneCount = 0;
        TracewrightState.begin();
    }

    /** First thing in a class initialiser. */
    public static void initialised(Class<?> type) {
        if (mode != OFF) {
            noteInitialised(type);
            if (Thread.currentThread() == owner) {
                if (initialising == initialisers.length) {
                    initialisers = Arrays.copyOf(initialisers, 2 * initialising);
                }
                initialisers[initialising++] = type;
            }
            if (budget < INITIALISER_BUDGET && Thread.currentThread() == owner) {
                budget = INITIALISER_BUDGET;
            }
        }
    }

    /** Last thing in a class initialiser that returns. One that throws leaves a class that no run can use. */
    public static void ready() {
        if (initialising > 0 && Thread.currentThread() == owner) {
            initialising--;
        }
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

    /** Before {@code putstatic} that names {@code type}. */
    public static void staticWrite(Class<?> type) {
        if (Thread.currentThread() == owner) {
            if (initialising == 0) {
                Class<?> holder = holder(type);
                if (!TracewrightState.write(holder)) {
                    markDirty(holder);
                }
            }
        } else if (activeRun != 0) {
            foreignDirty(type);
        }
    }

    /** A thread that the run started; the runner's own threads, and what they initialise, leave no traces. */
    private static synchronized void foreignDirty(Class<?> type) {
        if (Thread.currentThread().getId() > ownThreads) {
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

    /** The class that declares the static fields: a reference to a field may name a class below it. */
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

    /** After {@code getstatic} of a reference: what the run does to the object is not seen, so what can change counts as changed. */
    public static void staticRead(Object value, Class<?> type) {
        if (value == null) {
            return;
        }
        if (Thread.currentThread() == owner) {
            noteRead(value, type);
        } else if (activeRun != 0 && TracewrightClasses.isMutable(value.getClass())) {
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

    /** The initialiser runs again after the run, on what was put back; one that cannot run again has to do without. */
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
     * Puts back what the run did to static state; the classes where that was not possible, in order of initialisation: their initialisers
     * have to run again.
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

    /** The class loader of the code under test is given up. */
    public static void forgetState() {
        TracewrightState.forget();
    }

    private static synchronized void sortByInitialisation(Class<?>[] types) {
        int next = 0;
        // What was never seen to initialise has no initialiser, or ran it before the agent came: it comes first.
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
     * Zeroes the static fields and runs the class initialiser again. To be called between runs; the initialiser gets an event budget of its own
     * and its distances are not recorded. False: not possible (an enum or an interface, fields still final, the initialiser failed).
     */
    public static boolean reinitialise(Class<?> type) {
        if (type.isEnum() || type.isInterface() || type.isArray() || type.isPrimitive() || !TracewrightClasses.zero(type)) {
            return false;
        }
        double[] keptBranches = branches;
        byte[] keptLines = lines;
        Thread keptOwner = owner;
        long keptBudget = budget;
        branches = new double[keptBranches.length];
        lines = new byte[keptLines.length];
        budget = INITIALISER_BUDGET;
        owner = mode == SEARCH ? Thread.currentThread() : null;
        int keptDirty = dirtyCount;
        initialisers[0] = type;
        initialising = 1;
        // What other classes hold of this one is no longer what its fields hold.
        TracewrightState.forget();
        try {
            return runInitialiser(type);
        } finally {
            initialising = 0;
            owner = keptOwner;
            budget = keptBudget;
            branches = keptBranches;
            lines = keptLines;
            dirtyCount = keptDirty;
        }
    }

    /** Calls {@code <clinit>}; true also when there is none. */
    private static native boolean runInitialiser(Class<?> type);

    /** Throws a {@link TracewrightBudget} in another thread. */
    public static native void stop(Thread thread);

    // ----------------------------------------------------------------------------------------------------------------- trace

    private static final byte BRANCH_NOT = 1;
    private static final byte BRANCH_TAKEN = 2;
    private static final byte SWITCH = 3;
    private static final byte LOAD32 = 4;
    private static final byte LOAD64 = 5;
    private static final byte LOADREF = 6;
    private static final byte RET_VOID = 7;
    private static final byte RET32 = 8;
    private static final byte RET64 = 9;
    private static final byte RETREF = 10;
    private static final byte ENTRY = 11;
    private static final byte ARG32 = 12;
    private static final byte ARG64 = 13;
    private static final byte ARGREF = 14;
    private static final byte EXIT = 15;
    private static final byte CAUGHT = 16;
    private static final byte STATEMENT = 17;
    private static final byte RESULT32 = 18;
    private static final byte RESULT64 = 19;
    static final byte RESULTREF = 20;
    private static final byte RESULT_VOID = 21;
    static final byte THROWN = 22;
    private static final byte RUN_BEGIN = 23;
    private static final byte RUN_END = 24;
    private static final byte CONTENT = 27;

    /** In the first word of a reference: this thread has described the object before. Identity hashes have 31 bits. */
    private static final int SEEN = 1 << 31;

    /** The buffer of the thread that wrote last; null before the first run. Threads that race for it each find their own, or ask again. */
    static TracewrightBuffer cached;
    /** The same of the thread that last entered or left a method in a run that goes on, recorded or not. Nothing keeps a thread that has ended. */
    static TracewrightBuffer inside;
    /** Bytes a run may record. */
    private static long eventCap;
    /** Whether every thread records, from its first event on; else the owner of the run does, while it lasts. */
    private static boolean everyThread;

    /** The buffer of a thread that is not the one of {@code cached}; null: it records nothing. */
    private static TracewrightBuffer other() {
        if (mode != TRACE) {
            return null;
        }
        if (TracewrightRun.enabled) {
            TracewrightBuffer own = inside;
            if (own != null && own.owner == Thread.currentThread()) {
                // In a run that is passed over, or longer than it may be: nothing is looked up at each of its probes.
                return own.recording ? own : null;
            }
            own = TracewrightRun.current();
            if (own != null) {
                cached = own;
            }
            return own;
        }
        if (everyThread) {
            TracewrightBuffer own = TracewrightBuffer.own(eventCap, true);
            cached = own;
            return own;
        }
        if (runs != 0) {
            foreign();
        }
        return null;
    }

    // Inlined into every probe; whether a probe is inlined is up to the compiler, which has limits for large methods. No branch but those
    // that are next to never taken: where ways meet in a loop, compiled code reads the position from memory again.

    @ForceInline
    private static TracewrightBuffer buffer() {
        TracewrightBuffer buffer = cached;
        return buffer != null && buffer.owner == Thread.currentThread() ? buffer : other();
    }

    /** As {@link #buffer}, with room. */
    @ForceInline
    private static TracewrightBuffer room() {
        TracewrightBuffer buffer = buffer();
        if (buffer != null && buffer.isFull()) {
            buffer.flush();
        }
        return buffer;
    }

    /** Probe at back edges: flushes when it is time. */
    public static void tRoom() {
        room();
    }

    /** Hands the bytes to the drain thread; returns when it has them. */
    static native void drain(long address, long length, int thread);

    /** Returns once everything handed over was written. */
    private static native void awaitDrain();

    /** Gives the class a number and announces it in the trace. */
    private static native int announce(Class<?> type);

    /** Called by the agent at the end of the VM. */
    static void finish() {
        if (TracewrightRun.enabled) {
            TracewrightRun.endAll();
        } else if (everyThread) {
            TracewrightBuffer.drainAll();
        }
    }

    @ForceInline
    private static void write(TracewrightBuffer buffer, int kind) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, (byte) kind);
        buffer.at = at + 1;
    }

    @ForceInline
    private static void write(TracewrightBuffer buffer, byte kind, int value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putInt(at + 1, value);
        buffer.at = at + 5;
    }

    @ForceInline
    private static void write(TracewrightBuffer buffer, byte kind, long value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putLong(at + 1, value);
        buffer.at = at + 9;
    }

    @ForceInline
    private static void write(TracewrightBuffer buffer, byte kind, int operand, int value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putInt(at + 1, operand);
        TracewrightBuffer.UNSAFE.putInt(at + 5, value);
        buffer.at = at + 9;
    }

    @ForceInline
    private static void write(TracewrightBuffer buffer, byte kind, int operand, long value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putInt(at + 1, operand);
        TracewrightBuffer.UNSAFE.putLong(at + 5, value);
        buffer.at = at + 13;
    }

    @ForceInline
    private static void argument(TracewrightBuffer buffer, byte kind, int index, int value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putByte(at + 1, (byte) index);
        TracewrightBuffer.UNSAFE.putInt(at + 2, value);
        buffer.at = at + 6;
    }

    @ForceInline
    private static void argument(TracewrightBuffer buffer, byte kind, int index, long value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putByte(at + 1, (byte) index);
        TracewrightBuffer.UNSAFE.putLong(at + 2, value);
        buffer.at = at + 10;
    }

    /** The reference that ends an event whose first bytes stand at the position already and end at {@code at}. */
    @ForceInline
    private static void reference(TracewrightBuffer buffer, long at, Object value) {
        if (value == null) {
            TracewrightBuffer.UNSAFE.putInt(at, 0);
            buffer.at = at + 4;
            return;
        }
        int hash = System.identityHashCode(value);
        if (buffer.seen[hash & 255] == value) {
            TracewrightBuffer.UNSAFE.putInt(at, hash | SEEN);
            buffer.at = at + 4;
            return;
        }
        describe(buffer, at, value, hash, false);
    }

    /** The same for a result: an array of primitives that comes from code without probes is written down, each time. */
    @ForceInline
    private static void result(TracewrightBuffer buffer, long at, Object value) {
        if (value == null || !value.getClass().isArray()) {
            reference(buffer, at, value);
        } else {
            describe(buffer, at, value, System.identityHashCode(value), buffer.at != buffer.exitAt);
        }
    }

    private static void describe(TracewrightBuffer buffer, long at, Object value, int hash, boolean arrays) {
        if (buffer.isFull()) {
            int begun = (int) (at - buffer.at);
            long header = TracewrightBuffer.UNSAFE.getLong(buffer.at);
            buffer.flush();
            TracewrightBuffer.UNSAFE.putLong(buffer.at, header);
            at = buffer.at + begun;
        }
        // A user's objects are not kept for it: there, what is known of one is its hash and that of its class.
        TracewrightClasses.Info info = info(value.getClass());
        boolean constant = info.content >= 0 && !info.array;
        boolean known = buffer.run == null ? buffer.seen[hash & 255] == value : buffer.run.knows(value, hash, constant);
        if (known) {
            TracewrightBuffer.UNSAFE.putInt(at, hash | SEEN);
            buffer.at = at + 4;
        } else {
            int id = info.id;
            if (id == 0) {
                id = info.id = announce(info.type);
            }
            TracewrightBuffer.UNSAFE.putInt(at, hash);
            TracewrightBuffer.UNSAFE.putInt(at + 4, id);
            TracewrightBuffer.UNSAFE.putInt(at + 8, info.array ? java.lang.reflect.Array.getLength(value) : 0);
            buffer.at = at + 12;
            if (buffer.run == null) {
                buffer.seen[hash & 255] = value;
            } else {
                buffer.run.described(value, hash, constant);
            }
        }
        if (info.content >= 0 && (info.array ? arrays : !known)) {
            content(buffer, info.content, value);
        }
    }

    private static final TracewrightClasses.Info[] INFOS = new TracewrightClasses.Info[256];

    /** Direct-mapped in front of the class's own map. An entry is immutable but for idempotent fields, so races are harmless. */
    private static TracewrightClasses.Info info(Class<?> type) {
        int slot = System.identityHashCode(type) & 255;
        TracewrightClasses.Info info = INFOS[slot];
        if (info == null || info.type != type) {
            info = TracewrightClasses.INSTANCE.get(type);
            // Nothing here keeps a class alive that a user's VM could unload.
            if (!TracewrightRun.enabled || type.getClassLoader() == null) {
                INFOS[slot] = info;
            }
        }
        return info;
    }

    /** CONTENT: kind, length, elements written, elements. Its caller made room. */
    private static void content(TracewrightBuffer buffer, int kind, Object value) {
        jdk.internal.misc.Unsafe unsafe = TracewrightBuffer.UNSAFE;
        long at = buffer.at;
        long next = at + 10;
        int length;
        int count;
        if (kind == 0) {
            String string = (String) value;
            length = string.length();
            count = Math.min(length, CONTENT_BOUND);
            for (int i = 0; i < count; i++) {
                unsafe.putChar(next, string.charAt(i));
                next += 2;
            }
        } else if (kind == 9) {
            length = count = 1;
            unsafe.putInt(next, value instanceof Integer ? (Integer) value : value instanceof Boolean ? ((Boolean) value ? 1 : 0)
                    : value instanceof Character ? (Character) value
                    : value instanceof Float ? Float.floatToRawIntBits((Float) value) : ((Number) value).intValue());
            next += 4;
        } else if (kind == 10) {
            length = count = 1;
            unsafe.putLong(next, value instanceof Long ? (Long) value : Double.doubleToRawLongBits((Double) value));
            next += 8;
        } else {
            length = java.lang.reflect.Array.getLength(value);
            count = Math.min(length, CONTENT_BOUND);
            next = elements(next, count, kind, value);
        }
        unsafe.putByte(at, CONTENT);
        unsafe.putByte(at + 1, (byte) kind);
        unsafe.putInt(at + 2, length);
        unsafe.putInt(at + 6, count);
        buffer.at = next;
    }

    private static long elements(long next, int count, int kind, Object value) {
        jdk.internal.misc.Unsafe unsafe = TracewrightBuffer.UNSAFE;
        switch (kind) {
            case 1:
                for (int i = 0; i < count; i++) {
                    unsafe.putByte(next + i, (byte) (((boolean[]) value)[i] ? 1 : 0));
                }
                return next + 1L * count;
            case 2:
                for (int i = 0; i < count; i++) {
                    unsafe.putByte(next + i, ((byte[]) value)[i]);
                }
                return next + 1L * count;
            case 3:
                for (int i = 0; i < count; i++) {
                    unsafe.putChar(next + 2L * i, ((char[]) value)[i]);
                }
                return next + 2L * count;
            case 4:
                for (int i = 0; i < count; i++) {
                    unsafe.putShort(next + 2L * i, ((short[]) value)[i]);
                }
                return next + 2L * count;
            case 5:
                for (int i = 0; i < count; i++) {
                    unsafe.putInt(next + 4L * i, ((int[]) value)[i]);
                }
                return next + 4L * count;
            case 6:
                for (int i = 0; i < count; i++) {
                    unsafe.putLong(next + 8L * i, ((long[]) value)[i]);
                }
                return next + 8L * count;
            case 7:
                for (int i = 0; i < count; i++) {
                    unsafe.putInt(next + 4L * i, Float.floatToRawIntBits(((float[]) value)[i]));
                }
                return next + 4L * count;
            default:
                for (int i = 0; i < count; i++) {
                    unsafe.putLong(next + 8L * i, Double.doubleToRawLongBits(((double[]) value)[i]));
                }
                return next + 8L * count;
        }
    }

    // Probes. `t` for trace; the operands are those of the instruction, then the site where the event has one. Outcomes of comparisons are
    // computed without a jump: it would be one more to mispredict.

    /** `taken`: 0 or 1. */
    @ForceInline
    private static void branch(int taken) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            write(buffer, BRANCH_NOT + taken);
        }
    }

    public static void tIcmpEq(int a, int b) {
        branch(~(a - b | b - a) >>> 31);
    }

    public static void tIcmpNe(int a, int b) {
        branch((a - b | b - a) >>> 31);
    }

    public static void tIcmpLt(int a, int b) {
        branch((int) ((long) a - b >>> 63));
    }

    public static void tIcmpGe(int a, int b) {
        branch((int) (~((long) a - b) >>> 63));
    }

    public static void tIcmpGt(int a, int b) {
        branch((int) ((long) b - a >>> 63));
    }

    public static void tIcmpLe(int a, int b) {
        branch((int) (~((long) b - a) >>> 63));
    }

    public static void tIfEq(int a) {
        branch(~(a | -a) >>> 31);
    }

    public static void tIfNe(int a) {
        branch((a | -a) >>> 31);
    }

    public static void tIfLt(int a) {
        branch(a >>> 31);
    }

    public static void tIfGe(int a) {
        branch(~a >>> 31);
    }

    public static void tIfGt(int a) {
        branch(~(a | a - 1) >>> 31);
    }

    public static void tIfLe(int a) {
        branch((a | a - 1) >>> 31);
    }

    public static void tAcmpEq(Object a, Object b) {
        branch(a == b ? 1 : 0);
    }

    public static void tAcmpNe(Object a, Object b) {
        branch(a != b ? 1 : 0);
    }

    public static void tNullEq(Object a) {
        branch(a == null ? 1 : 0);
    }

    public static void tNullNe(Object a) {
        branch(a != null ? 1 : 0);
    }

    public static void tSwitch(int key) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            write(buffer, SWITCH, key);
        }
    }

    public static void tLoad(int value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            write(buffer, LOAD32, value);
        }
    }

    public static void tLoad(float value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            write(buffer, LOAD32, Float.floatToRawIntBits(value));
        }
    }

    public static void tLoad(long value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            write(buffer, LOAD64, value);
        }
    }

    public static void tLoad(double value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            write(buffer, LOAD64, Double.doubleToRawLongBits(value));
        }
    }

    public static void tLoad(Object value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, LOADREF);
            reference(buffer, at + 1, value);
        }
    }

    public static void tRet(int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, RET_VOID, site);
        }
    }

    public static void tRet(int value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, RET32, site, value);
        }
    }

    public static void tRet(float value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, RET32, site, Float.floatToRawIntBits(value));
        }
    }

    public static void tRet(long value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, RET64, site, value);
        }
    }

    public static void tRet(double value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, RET64, site, Double.doubleToRawLongBits(value));
        }
    }

    public static void tRet(Object value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, RETREF);
            TracewrightBuffer.UNSAFE.putInt(at + 1, site);
            result(buffer, at + 5, value);
        }
    }

    public static void tEntry(int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, ENTRY, site);
        }
    }

    public static void tArg(int value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            argument(buffer, ARG32, index, value);
        }
    }

    public static void tArg(float value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            argument(buffer, ARG32, index, Float.floatToRawIntBits(value));
        }
    }

    public static void tArg(long value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            argument(buffer, ARG64, index, value);
        }
    }

    public static void tArg(double value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            argument(buffer, ARG64, index, Double.doubleToRawLongBits(value));
        }
    }

    public static void tArg(Object value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, ARGREF);
            TracewrightBuffer.UNSAFE.putByte(at + 1, (byte) index);
            if (buffer.run != null && value != null && value.getClass().isArray() && buffer.run.isOutermost()) {
                // From code that is not recorded.
                describe(buffer, at + 2, value, System.identityHashCode(value), true);
            } else {
                reference(buffer, at + 2, value);
            }
        }
    }

    public static void tExit() {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            write(buffer, EXIT);
            buffer.exitAt = buffer.at;
        }
    }

    /** Never throws: the range of a handler that leaves a monitor covers the handler itself, which would run for ever. */
    public static void tCaught(Object value, int site) {
        try {
            TracewrightBuffer buffer = room();
            if (buffer != null) {
                long at = buffer.at;
                TracewrightBuffer.UNSAFE.putByte(at, CAUGHT);
                TracewrightBuffer.UNSAFE.putInt(at + 1, site);
                reference(buffer, at + 5, value);
            }
        } catch (TracewrightBudget exhausted) {
            // The next probe throws it.
        }
    }

    // Where runs begin and end by themselves: at the outermost entry of recorded code in a thread, and at its exit. `entry` is the site of the
    // method's entry.

    public static void rEntry(int entry) {
        entered(null, entry, false);
    }

    /** The same of a method of an object. */
    public static void rEntry(Object object, int entry) {
        entered(object, entry, false);
    }

    /** Until {@link #rMade}, no handler tells that the method is over. */
    public static void rEntryOfConstructor(int entry) {
        entered(null, entry, true);
    }

    @ForceInline
    private static void entered(Object object, int entry, boolean constructor) {
        TracewrightBuffer buffer = own();
        if (buffer != null && buffer.run.enter(buffer, object, entry, constructor)) {
            write(buffer, ENTRY, entry);
        }
    }

    /** The buffer of this thread, whether its run is recorded or not; null: nothing is. */
    @ForceInline
    private static TracewrightBuffer own() {
        TracewrightBuffer buffer = inside;
        return buffer != null && buffer.owner == Thread.currentThread() ? buffer : TracewrightRun.own();
    }

    /** A constructor is about to call another one of its class, which has probes: what that one throws, leaves this one as well. */
    public static void rCalls(int entry, int other) {
        TracewrightBuffer buffer = own();
        if (buffer != null) {
            buffer.run.calls(entry, other);
        }
    }

    /** A constructor's object is initialized. */
    public static void rMade(int entry) {
        TracewrightBuffer buffer = own();
        if (buffer != null) {
            buffer.run.made(entry);
        }
    }

    /** A method is entered whose calls are nobody's runs: those of a generated test. */
    public static void rAside() {
        TracewrightBuffer buffer = own();
        if (buffer != null && !buffer.recording) {
            buffer.run.enter(buffer, null, TracewrightRun.ASIDE, false);
        }
    }

    /** It is left, one way or the other. */
    public static void rAsideEnd() {
        TracewrightBuffer buffer = own();
        if (buffer != null && !buffer.recording && buffer.run.leave(TracewrightRun.ASIDE)) {
            buffer.run.returned(buffer, null);
        }
    }

    public static void rExit(int entry) {
        rExit(null, entry);
    }

    /** The same with the object that is returned, or that a constructor made. */
    public static void rExit(Object result, int entry) {
        TracewrightBuffer buffer = own();
        if (buffer != null) {
            if (buffer.recording) {
                if (buffer.isFull()) {
                    buffer.flush();
                }
                if (buffer.recording) {
                    write(buffer, EXIT);
                    buffer.exitAt = buffer.at;
                }
            }
            if (buffer.run.leave(entry)) {
                buffer.run.returned(buffer, result);
            }
        }
    }

    /** An exception leaves a method. Never throws one of its own: that would take its place. */
    public static void rThrown(Object value, int entry) {
        try {
            TracewrightBuffer buffer = own();
            if (buffer == null) {
                return;
            }
            if (value instanceof StackOverflowError) {
                buffer.run.doubt();
            }
            if (buffer.run.leaveByException(entry)) {
                buffer.run.threw(buffer, value);
            } else if (buffer.recording) {
                // Whoever called may be code that is not recorded, and catch it.
                if (buffer.isFull()) {
                    buffer.flush();
                }
                long at = buffer.at;
                TracewrightBuffer.UNSAFE.putByte(at, THROWN);
                TracewrightBuffer.UNSAFE.putInt(at + 1, entry);
                reference(buffer, at + 5, value);
            }
        } catch (Throwable exhausted) {
            // Stack or heap: the run, left open, ends with the next one's beginning.
        }
    }

    /** The last events of a run: what it ended with, if an object, and its verdict. The object is described anew, for whoever reads no more of the run. */
    static void ended(TracewrightBuffer buffer, int verdict, byte kind, Object value) {
        if (value != null) {
            TracewrightClasses.Info info = info(value.getClass());
            if (info.id == 0) {
                info.id = announce(info.type);
            }
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, kind);
            TracewrightBuffer.UNSAFE.putInt(at + 1, 0);
            TracewrightBuffer.UNSAFE.putInt(at + 5, System.identityHashCode(value));
            TracewrightBuffer.UNSAFE.putInt(at + 9, info.id);
            TracewrightBuffer.UNSAFE.putInt(at + 13, info.array ? java.lang.reflect.Array.getLength(value) : 0);
            buffer.at = at + 17;
        }
        write(buffer, RUN_END, verdict);
    }

    static void began(TracewrightBuffer buffer) {
        write(buffer, (int) RUN_BEGIN);
    }

    // The runner's events.

    /** Starts a recording; this thread owns it. */
    public static void runBegin() {
        TracewrightBuffer before = cached;
        if (before != null && !everyThread) {
            before.recording = false;
        }
        TracewrightBuffer buffer = TracewrightBuffer.own(eventCap, everyThread);
        forgetStatics();
        startRun();
        buffer.begin();
        write(buffer, RUN_BEGIN);
        cached = buffer;
    }

    public static void statement(int index) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, STATEMENT, index);
        }
    }

    public static void result32(int index, int value) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, RESULT32, index, value);
        }
    }

    public static void result64(int index, long value) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, RESULT64, index, value);
        }
    }

    /** Arrays of primitives come with their contents, as after an opaque call. */
    public static void resultRef(int index, Object value) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, RESULTREF);
            TracewrightBuffer.UNSAFE.putInt(at + 1, index);
            result(buffer, at + 5, value);
        }
    }

    public static void resultVoid(int index) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            write(buffer, RESULT_VOID, index);
        }
    }

    public static void thrown(int index, Throwable value) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, THROWN);
            TracewrightBuffer.UNSAFE.putInt(at + 1, index);
            reference(buffer, at + 5, value);
        }
    }

    /** Ends the recording and returns after the drain thread has written everything. Never throws for a used-up budget. */
    public static void runEnd(int verdict) {
        TracewrightBuffer buffer = cached;
        endRun();
        if (buffer != null && buffer.owner == Thread.currentThread() && buffer.recording) {
            buffer.end(RUN_END, verdict);
            buffer.recording = everyThread;
            awaitDrain();
        }
    }

    // ----------------------------------------------------------------------------------------------------------------- guard

    /** The folder in which everything is allowed, absolute and normal; null: not armed. */
    private static volatile String folder;
    /** What relative paths are relative to, whatever {@code user.dir} becomes. */
    private static volatile String workingFolder = "";
    private static volatile String refused;

    /** From now on the choke points throw outside the folder, on every thread. */
    public static void arm(String temporaryFolder) {
        workingFolder = System.getProperty("user.dir");
        folder = normal(Objects.requireNonNull(temporaryFolder));
    }

    /** The runner is about to do something itself (exit). */
    public static void disarm() {
        folder = null;
    }

    /** What was refused first since the last call, or null. */
    public static String refused() {
        String what = refused;
        refused = null;
        return what;
    }

    /** Guard probe: never allowed. */
    public static void refuse(String what) {
        if (folder != null) {
            deny(what);
        }
    }

    /** Guard probe: a file that is about to be written, created, deleted or changed; a {@code String}, {@code File} or {@code Path}. */
    public static void refuseWrite(Object path, String what) {
        String allowed = folder;
        if (allowed == null || path == null) {
            return;
        }
        String text = path.toString();
        if (text.equals("/dev/null")) {
            return;
        }
        String normal = normal(text);
        if (!normal.equals(allowed) && !normal.startsWith(allowed.concat("/"))) {
            deny(what.concat(" ").concat(text));
        }
    }

    /** Guard probe: {@code flags} are those of {@code open(2)}; reading is allowed. */
    public static void refuseOpen(Object path, int flags, String what) {
        if ((flags & 3) != 0) {
            refuseWrite(path, what);
        }
    }

    /** Guard probe: {@code mode} is that of {@code RandomAccessFile.open}, where bit 1 means writing. */
    public static void refuseRandomAccess(Object path, int mode, String what) {
        if ((mode & 2) != 0) {
            refuseWrite(path, what);
        }
    }

    private static void deny(String what) {
        if (refused == null) {
            refused = what;
        }
        throw new TracewrightRefusal(what);
    }

    /** Absolute, without {@code .}, {@code ..} and doubled slashes. Symbolic links are not followed: the folder's own are made under guard. */
    private static String normal(String path) {
        String absolute = path.startsWith("/") ? path : workingFolder.concat("/").concat(path);
        String[] parts = new String[absolute.length()];
        int count = 0;
        for (int from = 0; from <= absolute.length();) {
            int to = absolute.indexOf('/', from);
            if (to < 0) {
                to = absolute.length();
            }
            String part = absolute.substring(from, to);
            if (part.equals("..")) {
                count = Math.max(0, count - 1);
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts[count++] = part;
            }
            from = to + 1;
        }
        StringBuilder normal = new StringBuilder();
        for (int i = 0; i < count; i++) {
            normal.append('/').append(parts[i]);
        }
        return normal.toString();
    }
}
