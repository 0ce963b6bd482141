package java.lang;

import java.util.Arrays;

/**
 * What a run of the search reaches. Flows in: operands of jumps, switches, comparisons and string
 * comparisons; flows out: branch distances and lines by slot, and strings that were compared. Must
 * not know which branches the slots stand for.
 */
public final class TracewrightSearch {
    private TracewrightSearch() {}

    static void configure(int branchSlots, int lineSlots) {
        branches = new double[branchSlots];
        lines = new byte[lineSlots];
        foreignBranches = new double[branchSlots];
        Arrays.fill(branches, Double.NaN);
        Arrays.fill(foreignBranches, Double.NaN);
    }

    /** Forgets the run before, makes this thread the owner of a new run and sets its budget. */
    public static void begin(long eventBudget) {
        Arrays.fill(branches, Double.NaN);
        Arrays.fill(lines, (byte) 0);
        Arrays.fill(seenStrings, 0, seenCount, null);
        seenCount = 0;
        TracewrightStatics.forgetRun();
        pending = Double.NaN;
        if (foreignReached) {
            forgetForeign();
        }
        TracewrightSink.budget = eventBudget;
        TracewrightSink.foreignBudget = eventBudget;
        TracewrightSink.startRun();
    }

    /** Ends the run. Its results stay until the next {@link #begin}. */
    public static void end() {
        TracewrightSink.endRun();
        if (foreignReached) {
            for (int slot = 0; slot < branches.length; slot++) {
                double distance = foreignBranches[slot];
                if (distance == distance && !(branches[slot] <= distance)) {
                    branches[slot] = distance;
                }
            }
            forgetForeign();
        }
    }

    private static void forgetForeign() {
        foreignReached = false;
        Arrays.fill(foreignBranches, Double.NaN);
    }

    /** Least distance by branch slot; NaN: not reached. */
    public static double[] branches = new double[0];
    /** The same of all threads but the owner of the run; joined with those of the owner at the end. */
    private static double[] foreignBranches = new double[0];
    /** A thread other than the owner has reached a branch. */
    private static volatile boolean foreignReached;
    /** 1 where a line slot was executed. */
    public static byte[] lines = new byte[0];
    /** Distance that a comparison of the owner left for the jump right behind it; NaN: none. */
    private static double pending = Double.NaN;

    public static void line(int slot) {
        if (TracewrightSink.counts()) {
            lines[slot] = 1;
        }
    }

    /** The distances that this thread lowers; null: it does not belong to the run. */
    private static double[] distances() {
        if (Thread.currentThread() == TracewrightSink.owner) {
            return branches;
        }
        if (!TracewrightSink.isForeignOfRun()) {
            return null;
        }
        if (!foreignReached) {
            foreignReached = true;
        }
        return foreignBranches;
    }

    private static void set(double[] distances, int slot, double notTaken, double taken) {
        lower(distances, slot, notTaken);
        lower(distances, slot + 1, taken);
    }

    private static void lower(double[] distances, int slot, double distance) {
        if (!(distances[slot] <= distance)) {
            if (distances == foreignBranches) {
                lowerShared(distances, slot, distance);
            } else {
                distances[slot] = distance;
            }
        }
    }

    /** Several threads lower these distances: no larger one replaces a smaller one. */
    private static synchronized void lowerShared(double[] distances, int slot, double distance) {
        if (!(distances[slot] <= distance)) {
            distances[slot] = distance;
        }
    }

    /** Leaves a distance for the jump right behind; the thread belongs to the run. */
    private static void leave(double distance) {
        if (Thread.currentThread() == TracewrightSink.owner) {
            pending = distance;
        } else {
            TracewrightSink.leaveDistance(distance);
        }
    }

    /** Takes the distance that a comparison right before left in this thread; NaN: none. */
    private static double take() {
        if (Thread.currentThread() != TracewrightSink.owner) {
            return TracewrightSink.takeDistance();
        }
        double distance = pending;
        pending = Double.NaN;
        return distance;
    }

    public static void icmpEq(int a, int b, int slot) {
        double[] distances = distances();
        if (distances != null) {
            if (a == b) {
                set(distances, slot, 1, 0);
            } else {
                set(distances, slot, 0, Math.abs((double) a - b));
            }
        }
    }

    public static void icmpNe(int a, int b, int slot) {
        double[] distances = distances();
        if (distances != null) {
            if (a != b) {
                set(distances, slot, Math.abs((double) a - b), 0);
            } else {
                set(distances, slot, 0, 1);
            }
        }
    }

    public static void icmpLt(int a, int b, int slot) {
        double[] distances = distances();
        if (distances != null) {
            if (a < b) {
                set(distances, slot, (double) b - a, 0);
            } else {
                set(distances, slot, 0, (double) a - b + 1);
            }
        }
    }

    public static void icmpGe(int a, int b, int slot) {
        double[] distances = distances();
        if (distances != null) {
            if (a >= b) {
                set(distances, slot, (double) a - b + 1, 0);
            } else {
                set(distances, slot, 0, (double) b - a);
            }
        }
    }

    public static void icmpGt(int a, int b, int slot) {
        double[] distances = distances();
        if (distances != null) {
            if (a > b) {
                set(distances, slot, (double) a - b, 0);
            } else {
                set(distances, slot, 0, (double) b - a + 1);
            }
        }
    }

    public static void icmpLe(int a, int b, int slot) {
        double[] distances = distances();
        if (distances != null) {
            if (a <= b) {
                set(distances, slot, (double) b - a + 1, 0);
            } else {
                set(distances, slot, 0, (double) a - b);
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
        double[] distances = distances();
        if (distances != null) {
            set(distances, slot, a == b ? 1 : 0, a == b ? 0 : 1);
        }
    }

    public static void acmpNe(Object a, Object b, int slot) {
        double[] distances = distances();
        if (distances != null) {
            set(distances, slot, a != b ? 1 : 0, a != b ? 0 : 1);
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
        double[] distances = distances();
        if (distances == null) {
            return;
        }
        int count = high - low + 1;
        for (int i = 0; i < count; i++) {
            double distance = Math.abs((double) key - ((double) low + i));
            lower(distances, slot + i, distance);
        }
        double distance = key < low || key > high ? 0 : Math.min((double) key - low, (double) high - key) + 1;
        lower(distances, slot + count, distance);
    }

    /**
     * A {@code lookupswitch}: three characters of 15 bits a key, the highest first; then as {@link
     * #tableSwitch}.
     */
    public static void lookupSwitch(int key, String keys, int slot) {
        double[] distances = distances();
        if (distances == null) {
            return;
        }
        int count = keys.length() / 3;
        boolean isDefault = true;
        for (int i = 0; i < count; i++) {
            int other = keys.charAt(3 * i) << 30 | keys.charAt(3 * i + 1) << 15 | keys.charAt(3 * i + 2);
            isDefault &= key != other;
            double distance = Math.abs((double) key - other);
            lower(distances, slot + i, distance);
        }
        double distance = isDefault ? 0 : 1;
        lower(distances, slot + count, distance);
    }

    // Comparisons leave their distance to the jump behind them.

    /**
     * {@code lcmp}; of two values on the stack, only the upper one can be copied below the other,
     * so they come in reverse.
     */
    public static void noteLongs(long b, long a) {
        if (TracewrightSink.counts()) {
            leave(a == b ? 0 : Math.max(1, Math.abs((double) a - (double) b)));
        }
    }

    /** {@code fcmpl}, {@code fcmpg}. */
    public static void noteFloats(float a, float b) {
        noteDoubles(a, b);
    }

    /** {@code dcmpl}, {@code dcmpg}. */
    public static void noteDoubles(double b, double a) {
        if (TracewrightSink.counts()) {
            double distance = Math.abs(a - b);
            // NaN, or an infinity: nothing nearer can be said.
            leave(a == b ? 0 : distance <= Double.MAX_VALUE ? distance : Double.MAX_VALUE);
        }
    }

    /** The gap of the comparison right before; an own value's when another way led here. */
    private static double takeGap(int comparison) {
        double gap = take();
        return gap == gap ? gap : Math.abs(comparison);
    }

    public static void compareEq(int comparison, int slot) {
        double[] distances = distances();
        if (distances != null) {
            double gap = takeGap(comparison);
            set(distances, slot, comparison == 0 ? 1 : 0, comparison == 0 ? 0 : gap);
        }
    }

    public static void compareNe(int comparison, int slot) {
        double[] distances = distances();
        if (distances != null) {
            double gap = takeGap(comparison);
            set(distances, slot, comparison != 0 ? gap : 0, comparison != 0 ? 0 : 1);
        }
    }

    public static void compareLt(int comparison, int slot) {
        double[] distances = distances();
        if (distances != null) {
            double gap = takeGap(comparison);
            set(distances, slot, comparison < 0 ? gap : 0, comparison < 0 ? 0 : gap + 1);
        }
    }

    public static void compareGe(int comparison, int slot) {
        double[] distances = distances();
        if (distances != null) {
            double gap = takeGap(comparison);
            set(distances, slot, comparison >= 0 ? gap + 1 : 0, comparison >= 0 ? 0 : gap);
        }
    }

    public static void compareGt(int comparison, int slot) {
        double[] distances = distances();
        if (distances != null) {
            double gap = takeGap(comparison);
            set(distances, slot, comparison > 0 ? gap : 0, comparison > 0 ? 0 : gap + 1);
        }
    }

    public static void compareLe(int comparison, int slot) {
        double[] distances = distances();
        if (distances != null) {
            double gap = takeGap(comparison);
            set(distances, slot, comparison <= 0 ? gap + 1 : 0, comparison <= 0 ? 0 : gap);
        }
    }

    // A boolean that a string comparison returned: the distance left is that to true (0: it is
    // true).

    public static void booleanEq(int value, int slot) {
        double[] distances = distances();
        if (distances != null) {
            double distance = takeDistance(value);
            set(distances, slot, value == 0 ? distance : 0, value == 0 ? 0 : 1);
        }
    }

    public static void booleanNe(int value, int slot) {
        double[] distances = distances();
        if (distances != null) {
            double distance = takeDistance(value);
            set(distances, slot, value != 0 ? 1 : 0, value != 0 ? 0 : distance);
        }
    }

    /** More than 0 when the value is false. */
    private static double takeDistance(int value) {
        double distance = take();
        return value == 0 && distance > 0 ? distance : 1;
    }

    // Before a call whose result is a condition. The receiver may be null: then the call throws,
    // not the probe.

    /** {@code String.equals}, {@code Object.equals}, {@code Objects.equals}. */
    public static void noteEquals(Object a, Object b) {
        if (TracewrightSink.counts()) {
            leave(Double.NaN);
            if (a instanceof String && b instanceof String) {
                String s = (String) a;
                String t = (String) b;
                seen(s);
                seen(t);
                leave(distance(s, 0, t, 0, false));
            }
        }
    }

    public static void noteEqualsIgnoreCase(String a, String b) {
        if (TracewrightSink.counts()) {
            leave(Double.NaN);
            if (a != null && b != null) {
                seen(a);
                seen(b);
                leave(distance(a, 0, b, 0, true));
            }
        }
    }

    public static void noteStartsWith(String text, String prefix) {
        if (TracewrightSink.counts()) {
            leave(Double.NaN);
            if (text != null && prefix != null) {
                seen(text);
                seen(prefix);
                leave(partDistance(text, 0, prefix));
            }
        }
    }

    public static void noteEndsWith(String text, String suffix) {
        if (TracewrightSink.counts()) {
            leave(Double.NaN);
            if (text != null && suffix != null) {
                seen(text);
                seen(suffix);
                leave(partDistance(text, Math.max(0, text.length() - suffix.length()), suffix));
            }
        }
    }

    /**
     * {@code String.contains}. Other character sequences are not examined, since their code could
     * be under test.
     */
    public static void noteContains(String text, Object part) {
        if (TracewrightSink.counts()) {
            leave(Double.NaN);
            if (text != null && part instanceof String) {
                String s = (String) part;
                seen(text);
                seen(s);
                double least = partDistance(text, 0, s);
                int last = Math.min(text.length() - s.length(), STRING_BOUND);
                for (int i = 1; i <= last && least > 0; i++) {
                    least = Math.min(least, partDistance(text, i, s));
                }
                leave(least);
            }
        }
    }

    public static void noteIsEmpty(String text) {
        if (TracewrightSink.counts()) {
            leave(text == null ? Double.NaN : text.length());
        }
    }

    /** Characters of each string that a distance takes into account. */
    private static final int STRING_BOUND = 512;

    /**
     * The distance of two strings; 0: they are equal. A missing character counts 1. A differing
     * character counts less than 1, and less the nearer it is.
     */
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

    /** Of strings that two threads compare at the same time, one may be lost. */
    private static void seen(String string) {
        int count = seenCount;
        if (string.length() > 256 || count == seenStrings.length) {
            return;
        }
        for (int i = 0; i < count; i++) {
            if (seenStrings[i] == string || string.equals(seenStrings[i])) {
                return;
            }
        }
        seenStrings[count] = string;
        seenCount = count + 1;
    }

    /**
     * Strings that the run compared, in order of first use; at most 64, each of at most 256
     * characters.
     */
    public static String[] seenStrings() {
        return Arrays.copyOf(seenStrings, seenCount);
    }
}
