package java.lang;

import java.util.Collections;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The switches of mutated code. Flows in: operands and mutant numbers from rewritten code, the
 * active mutant from the sequence runner; flows out: the result of the original code or of the
 * active mutant; where no mutant is active, the mutants that a run reached and infected. Must not
 * run code under test.
 *
 * <p>Each method stands for one instruction. It takes the operands of the instruction and the
 * number of its mutant.
 */
public final class TracewrightMutants {
    /**
     * The number of a mutant that does not exist. Numbers begin with 1, since 0 means that no
     * mutant is active.
     */
    private static final int NONE = -1;
    private static final byte REACHED = 1;
    private static final byte INFECTED = 2;

    /** The active mutant; 0: none, the code does what was written. */
    private static int active;
    /** Reached and infected mutants are noted; only while no mutant is active. */
    private static boolean noting;
    /** Marks by number of the mutant. */
    private static byte[] marks = new byte[0];
    /** Numbers with a mark, in the order of the marks. */
    private static int[] noted = new int[0];
    private static int count;

    private TracewrightMutants() {}

    /**
     * Called by the agent between runs. {@code mutants}: the highest number.
     */
    static void configure(int mutants) {
        count = 0;
        marks = new byte[mutants + 1];
        noted = new int[mutants + 1];
    }

    /** Activates a mutant. 0: none, and mutants that threads of the run reach are noted. */
    public static void begin(int mutant) {
        for (int i = 0; i < count; i++) {
            marks[noted[i]] = 0;
        }
        count = 0;
        noting = mutant == 0;
        active = mutant;
    }

    /** Deactivates the mutant. */
    public static void end() {
        active = 0;
        noting = false;
    }

    /**
     * What the last run without an active mutant noted: number times two, plus one where the mutant
     * was infected.
     */
    public static int[] noted() {
        int[] all = new int[count];
        for (int i = 0; i < count; i++) {
            int number = noted[i];
            all[i] = number * 2 + (marks[number] >> 1);
        }
        return all;
    }

    private static void note(int mutant, boolean infected) {
        if (mutant == NONE) {
            return;
        }
        int seen = REACHED | (infected ? INFECTED : 0);
        if ((marks[mutant] & seen) != seen && TracewrightSink.counts()) {
            mark(mutant, seen);
        }
    }

    private static synchronized void mark(int mutant, int seen) {
        if (marks[mutant] == 0) {
            noted[count++] = mutant;
        }
        marks[mutant] |= (byte) seen;
    }

    private static boolean differ(float a, float b) {
        return Float.compare(a, b) != 0;
    }

    private static boolean differ(double a, double b) {
        return Double.compare(a, b) != 0;
    }

    // ---------------------------------------------------------------------------------- arithmetic

    public static int iadd(int a, int b, int mutant) {
        if (noting) {
            note(mutant, (a + b) != (a - b));
        }
        return active == mutant ? a - b : a + b;
    }

    public static int isub(int a, int b, int mutant) {
        if (noting) {
            note(mutant, (a - b) != (a + b));
        }
        return active == mutant ? a + b : a - b;
    }

    public static int imul(int a, int b, int mutant) {
        if (noting) {
            note(mutant, b == 0 || a * b != a / b);
        }
        return active == mutant ? a / b : a * b;
    }

    public static int idiv(int a, int b, int mutant) {
        if (noting) {
            note(mutant, b == 0 || a / b != a * b);
        }
        return active == mutant ? a * b : a / b;
    }

    public static int irem(int a, int b, int mutant) {
        if (noting) {
            note(mutant, b == 0 || a % b != a * b);
        }
        return active == mutant ? a * b : a % b;
    }

    public static int iand(int a, int b, int mutant) {
        if (noting) {
            note(mutant, (a & b) != (a | b));
        }
        return active == mutant ? a | b : a & b;
    }

    public static int ior(int a, int b, int mutant) {
        if (noting) {
            note(mutant, (a | b) != (a & b));
        }
        return active == mutant ? a & b : a | b;
    }

    public static int ixor(int a, int b, int mutant) {
        if (noting) {
            note(mutant, (a ^ b) != (a & b));
        }
        return active == mutant ? a & b : a ^ b;
    }

    public static int ishl(int a, int b, int mutant) {
        if (noting) {
            note(mutant, (a << b) != (a >> b));
        }
        return active == mutant ? a >> b : a << b;
    }

    public static int ishr(int a, int b, int mutant) {
        if (noting) {
            note(mutant, (a >> b) != (a << b));
        }
        return active == mutant ? a << b : a >> b;
    }

    public static int iushr(int a, int b, int mutant) {
        if (noting) {
            note(mutant, (a >>> b) != (a << b));
        }
        return active == mutant ? a << b : a >>> b;
    }

    public static long ladd(long a, long b, int mutant) {
        if (noting) {
            note(mutant, (a + b) != (a - b));
        }
        return active == mutant ? a - b : a + b;
    }

    public static long lsub(long a, long b, int mutant) {
        if (noting) {
            note(mutant, (a - b) != (a + b));
        }
        return active == mutant ? a + b : a - b;
    }

    public static long lmul(long a, long b, int mutant) {
        if (noting) {
            note(mutant, b == 0 || a * b != a / b);
        }
        return active == mutant ? a / b : a * b;
    }

    public static long ldiv(long a, long b, int mutant) {
        if (noting) {
            note(mutant, b == 0 || a / b != a * b);
        }
        return active == mutant ? a * b : a / b;
    }

    public static long lrem(long a, long b, int mutant) {
        if (noting) {
            note(mutant, b == 0 || a % b != a * b);
        }
        return active == mutant ? a * b : a % b;
    }

    public static long land(long a, long b, int mutant) {
        if (noting) {
            note(mutant, (a & b) != (a | b));
        }
        return active == mutant ? a | b : a & b;
    }

    public static long lor(long a, long b, int mutant) {
        if (noting) {
            note(mutant, (a | b) != (a & b));
        }
        return active == mutant ? a & b : a | b;
    }

    public static long lxor(long a, long b, int mutant) {
        if (noting) {
            note(mutant, (a ^ b) != (a & b));
        }
        return active == mutant ? a & b : a ^ b;
    }

    public static long lshl(long a, int b, int mutant) {
        if (noting) {
            note(mutant, (a << b) != (a >> b));
        }
        return active == mutant ? a >> b : a << b;
    }

    public static long lshr(long a, int b, int mutant) {
        if (noting) {
            note(mutant, (a >> b) != (a << b));
        }
        return active == mutant ? a << b : a >> b;
    }

    public static long lushr(long a, int b, int mutant) {
        if (noting) {
            note(mutant, (a >>> b) != (a << b));
        }
        return active == mutant ? a << b : a >>> b;
    }

    public static float fadd(float a, float b, int mutant) {
        if (noting) {
            note(mutant, differ(a + b, a - b));
        }
        return active == mutant ? a - b : a + b;
    }

    public static float fsub(float a, float b, int mutant) {
        if (noting) {
            note(mutant, differ(a - b, a + b));
        }
        return active == mutant ? a + b : a - b;
    }

    public static float fmul(float a, float b, int mutant) {
        if (noting) {
            note(mutant, differ(a * b, a / b));
        }
        return active == mutant ? a / b : a * b;
    }

    public static float fdiv(float a, float b, int mutant) {
        if (noting) {
            note(mutant, differ(a / b, a * b));
        }
        return active == mutant ? a * b : a / b;
    }

    public static float frem(float a, float b, int mutant) {
        if (noting) {
            note(mutant, differ(a % b, a * b));
        }
        return active == mutant ? a * b : a % b;
    }

    public static double dadd(double a, double b, int mutant) {
        if (noting) {
            note(mutant, differ(a + b, a - b));
        }
        return active == mutant ? a - b : a + b;
    }

    public static double dsub(double a, double b, int mutant) {
        if (noting) {
            note(mutant, differ(a - b, a + b));
        }
        return active == mutant ? a + b : a - b;
    }

    public static double dmul(double a, double b, int mutant) {
        if (noting) {
            note(mutant, differ(a * b, a / b));
        }
        return active == mutant ? a / b : a * b;
    }

    public static double ddiv(double a, double b, int mutant) {
        if (noting) {
            note(mutant, differ(a / b, a * b));
        }
        return active == mutant ? a * b : a / b;
    }

    public static double drem(double a, double b, int mutant) {
        if (noting) {
            note(mutant, differ(a % b, a * b));
        }
        return active == mutant ? a * b : a % b;
    }

    public static int ineg(int a, int mutant) {
        if (noting) {
            note(mutant, a != -a);
        }
        return active == mutant ? a : -a;
    }

    public static long lneg(long a, int mutant) {
        if (noting) {
            note(mutant, a != -a);
        }
        return active == mutant ? a : -a;
    }

    public static float fneg(float a, int mutant) {
        if (noting) {
            note(mutant, differ(a, -a));
        }
        return active == mutant ? a : -a;
    }

    public static double dneg(double a, int mutant) {
        if (noting) {
            note(mutant, differ(a, -a));
        }
        return active == mutant ? a : -a;
    }

    public static int iinc(int a, int delta, int mutant) {
        if (noting) {
            note(mutant, delta != 0);
        }
        return active == mutant ? a - delta : a + delta;
    }

    // ---------------------------------------------------------------------------------- conditions

    // True: the jump is taken.

    public static boolean ifeq(int a, int negated) {
        if (noting) {
            note(negated, true);
        }
        return a == 0 != (active == negated);
    }

    public static boolean icmpeq(int a, int b, int negated) {
        if (noting) {
            note(negated, true);
        }
        return a == b != (active == negated);
    }

    public static boolean acmpeq(Object a, Object b, int negated) {
        if (noting) {
            note(negated, true);
        }
        return a == b != (active == negated);
    }

    public static boolean nulleq(Object a, int negated) {
        if (noting) {
            note(negated, true);
        }
        return a == null != (active == negated);
    }

    public static boolean ifne(int a, int negated) {
        if (noting) {
            note(negated, true);
        }
        return a != 0 != (active == negated);
    }

    public static boolean icmpne(int a, int b, int negated) {
        if (noting) {
            note(negated, true);
        }
        return a != b != (active == negated);
    }

    public static boolean acmpne(Object a, Object b, int negated) {
        if (noting) {
            note(negated, true);
        }
        return a != b != (active == negated);
    }

    public static boolean nullne(Object a, int negated) {
        if (noting) {
            note(negated, true);
        }
        return a != null != (active == negated);
    }

    public static boolean icmplt(int a, int b, int boundary, int negated) {
        if (noting) {
            note(boundary, a == b);
            note(negated, true);
        }
        if (active == boundary) {
            return a <= b;
        }
        return a < b != (active == negated);
    }

    public static boolean iflt(int a, int boundary, int negated) {
        return icmplt(a, 0, boundary, negated);
    }

    public static boolean icmple(int a, int b, int boundary, int negated) {
        if (noting) {
            note(boundary, a == b);
            note(negated, true);
        }
        if (active == boundary) {
            return a < b;
        }
        return a <= b != (active == negated);
    }

    public static boolean ifle(int a, int boundary, int negated) {
        return icmple(a, 0, boundary, negated);
    }

    public static boolean icmpgt(int a, int b, int boundary, int negated) {
        if (noting) {
            note(boundary, a == b);
            note(negated, true);
        }
        if (active == boundary) {
            return a >= b;
        }
        return a > b != (active == negated);
    }

    public static boolean ifgt(int a, int boundary, int negated) {
        return icmpgt(a, 0, boundary, negated);
    }

    public static boolean icmpge(int a, int b, int boundary, int negated) {
        if (noting) {
            note(boundary, a == b);
            note(negated, true);
        }
        if (active == boundary) {
            return a > b;
        }
        return a >= b != (active == negated);
    }

    public static boolean ifge(int a, int boundary, int negated) {
        return icmpge(a, 0, boundary, negated);
    }

    // --------------------------------------------------------------------------- calls and returns

    /** Whether the call is left out. */
    public static boolean removed(int mutant) {
        if (noting) {
            note(mutant, true);
        }
        return active == mutant;
    }

    public static int booleanReturn(int value, int alwaysFalse, int alwaysTrue) {
        if (noting) {
            note(alwaysFalse, value != 0);
            note(alwaysTrue, value == 0);
        }
        return active == alwaysFalse ? 0 : active == alwaysTrue ? 1 : value;
    }

    public static Boolean booleanReturn(Boolean value, int alwaysFalse, int alwaysTrue) {
        if (noting) {
            note(alwaysFalse, value != Boolean.FALSE);
            note(alwaysTrue, value != Boolean.TRUE);
        }
        return active == alwaysFalse ? Boolean.FALSE : active == alwaysTrue ? Boolean.TRUE : value;
    }

    public static int ireturn(int value, int mutant) {
        if (noting) {
            note(mutant, value != 0);
        }
        return active == mutant ? 0 : value;
    }

    public static long lreturn(long value, int mutant) {
        if (noting) {
            note(mutant, value != 0);
        }
        return active == mutant ? 0L : value;
    }

    public static float freturn(float value, int mutant) {
        if (noting) {
            note(mutant, differ(value, 0f));
        }
        return active == mutant ? 0f : value;
    }

    public static double dreturn(double value, int mutant) {
        if (noting) {
            note(mutant, differ(value, 0d));
        }
        return active == mutant ? 0d : value;
    }

    public static Object nullReturn(Object value, int mutant) {
        if (noting) {
            note(mutant, value != null);
        }
        return active == mutant ? null : value;
    }

    public static Integer emptyReturn(Integer value, int mutant) {
        if (noting) {
            note(mutant, value == null || value != 0);
        }
        return active == mutant ? Integer.valueOf(0) : value;
    }

    public static Short emptyReturn(Short value, int mutant) {
        if (noting) {
            note(mutant, value == null || value != (short) 0);
        }
        return active == mutant ? Short.valueOf((short) 0) : value;
    }

    public static Character emptyReturn(Character value, int mutant) {
        if (noting) {
            note(mutant, value == null || value != '\0');
        }
        return active == mutant ? Character.valueOf('\0') : value;
    }

    public static Long emptyReturn(Long value, int mutant) {
        if (noting) {
            note(mutant, value == null || value != 0L);
        }
        return active == mutant ? Long.valueOf(0L) : value;
    }

    public static Float emptyReturn(Float value, int mutant) {
        if (noting) {
            note(mutant, value == null || differ(value, 0f));
        }
        return active == mutant ? Float.valueOf(0f) : value;
    }

    public static Double emptyReturn(Double value, int mutant) {
        if (noting) {
            note(mutant, value == null || differ(value, 0d));
        }
        return active == mutant ? Double.valueOf(0d) : value;
    }

    public static String emptyReturn(String value, int mutant) {
        if (noting) {
            note(mutant, value == null || !value.isEmpty());
        }
        return active == mutant ? "" : value;
    }

    public static Optional<?> emptyReturn(Optional<?> value, int mutant) {
        if (noting) {
            note(mutant, value == null || value.isPresent());
        }
        return active == mutant ? Optional.empty() : value;
    }

    // Interfaces: whether the value is empty could only be asked of code under test.

    public static Object emptyStream(Object value, int mutant) {
        if (noting) {
            note(mutant, true);
        }
        return active == mutant ? Stream.empty() : value;
    }

    public static Object emptyList(Object value, int mutant) {
        if (noting) {
            note(mutant, value != Collections.EMPTY_LIST);
        }
        return active == mutant ? Collections.emptyList() : value;
    }

    public static Object emptyMap(Object value, int mutant) {
        if (noting) {
            note(mutant, value != Collections.EMPTY_MAP);
        }
        return active == mutant ? Collections.emptyMap() : value;
    }

    public static Object emptySet(Object value, int mutant) {
        if (noting) {
            note(mutant, value != Collections.EMPTY_SET);
        }
        return active == mutant ? Collections.emptySet() : value;
    }
}
