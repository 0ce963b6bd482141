import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** Everything that is mutated, and below it what is not. */
public class Mutated {
    static int add(int a, int b) { return a + b; }
    static int sub(int a, int b) { return a - b; }
    static int mul(int a, int b) { return a * b; }
    static int div(int a, int b) { return a / b; }
    static int rem(int a, int b) { return a % b; }
    static int and(int a, int b) { return a & b; }
    static int or(int a, int b) { return a | b; }
    static int xor(int a, int b) { return a ^ b; }
    static int shl(int a, int b) { return a << b; }
    static int shr(int a, int b) { return a >> b; }
    static int ushr(int a, int b) { return a >>> b; }
    static long ladd(long a, long b) { return a + b; }
    static long lsub(long a, long b) { return a - b; }
    static long lmul(long a, long b) { return a * b; }
    static long ldiv(long a, long b) { return a / b; }
    static long lrem(long a, long b) { return a % b; }
    static long land(long a, long b) { return a & b; }
    static long lor(long a, long b) { return a | b; }
    static long lxor(long a, long b) { return a ^ b; }
    static long lshl(long a, int b) { return a << b; }
    static long lshr(long a, int b) { return a >> b; }
    static long lushr(long a, int b) { return a >>> b; }
    static float fadd(float a, float b) { return a + b; }
    static float fsub(float a, float b) { return a - b; }
    static float fmul(float a, float b) { return a * b; }
    static float fdiv(float a, float b) { return a / b; }
    static float frem(float a, float b) { return a % b; }
    static double dadd(double a, double b) { return a + b; }
    static double dsub(double a, double b) { return a - b; }
    static double dmul(double a, double b) { return a * b; }
    static double ddiv(double a, double b) { return a / b; }
    static double drem(double a, double b) { return a % b; }

    static int neg(int a) { return -a; }
    static long lneg(long a) { return -a; }
    static float fneg(float a) { return -a; }
    static double dneg(double a) { return -a; }

    static int increment(int a) {
        a++;
        a += 3;
        return a;
    }

    static String lt(int a, int b) { return a < b ? "yes" : "no"; }
    static String le(int a, int b) { return a <= b ? "yes" : "no"; }
    static String gt(int a, int b) { return a > b ? "yes" : "no"; }
    static String ge(int a, int b) { return a >= b ? "yes" : "no"; }
    static String eq(int a, int b) { return a == b ? "yes" : "no"; }
    static String ne(int a, int b) { return a != b ? "yes" : "no"; }
    static String negative(int a) { return a < 0 ? "yes" : "no"; }
    static String notPositive(int a) { return a <= 0 ? "yes" : "no"; }
    static String positive(int a) { return a > 0 ? "yes" : "no"; }
    static String notNegative(int a) { return a >= 0 ? "yes" : "no"; }
    static String zero(int a) { return a == 0 ? "yes" : "no"; }
    static String notZero(int a) { return a != 0 ? "yes" : "no"; }
    static String same(Object a, Object b) { return a == b ? "yes" : "no"; }
    static String other(Object a, Object b) { return a != b ? "yes" : "no"; }
    static String isNull(Object a) { return a == null ? "yes" : "no"; }
    static String isThere(Object a) { return a != null ? "yes" : "no"; }
    static String longs(long a, long b) { return a < b ? "yes" : "no"; }

    private final List<Object> seen = new ArrayList<>();
    void one(long a, Object b, double c) { seen.add(a); }
    private void two() { seen.add("two"); }
    static void nothing(List<Object> list, int[] more) { list.add(more.length); }

    static String calls(int a) {
        Mutated mutated = new Mutated();
        mutated.one(a, "x", 2.5);
        mutated.two();
        nothing(mutated.seen, new int[] {a, a});
        List<Object> list = mutated.seen;
        list.forEach(each -> {});
        for (int left = a; left > 0; left -= 2) {
            list.add(left);
            Collections.reverse(list);
        }
        return list.toString();
    }

    /** A call while an object is made: the stack holds what is not initialised. */
    static String inside(boolean flag) {
        return new StringBuilder(flag ? clear(new ArrayList<>(List.of(1))) : "none").append(flag).toString();
    }

    static String clear(List<Integer> list) {
        list.clear();
        return list.toString();
    }

    static boolean yes(int a) { return a == a; }
    static boolean given(boolean a) { return a; }
    static Boolean boxed(Boolean a) { return a; }
    static byte someByte(byte a) { return a; }
    static char someChar(char a) { return a; }
    static short someShort(short a) { return a; }
    static Integer someInteger(Integer a) { return a; }
    static Short boxedShort(Short a) { return a; }
    static Character boxedChar(Character a) { return a; }
    static Long boxedLong(Long a) { return a; }
    static Float boxedFloat(Float a) { return a; }
    static Double boxedDouble(Double a) { return a; }
    static Byte boxedByte(Byte a) { return a; }
    static String text(String a) { return a; }
    static Optional<String> optional(Optional<String> a) { return a; }
    static Stream<String> stream(Stream<String> a) { return a; }
    static List<String> list(List<String> a) { return a; }
    static Iterable<String> iterable(List<String> a) { return a; }
    static Map<String, String> map(Map<String, String> a) { return a; }
    static Set<String> set(Set<String> a) { return a; }
    static Object object(Object a) { return a; }
    static int[] array(int[] a) { return a; }
    static Iterator<String> iterator(Iterator<String> a) { return a; }
    static Thread thread(Thread a) { return a; }

    static String finallyOnce(int a, List<Object> list) {
        try {
            return "" + 10 / a;
        } finally {
            nothing(list, null == list ? null : new int[a]);
        }
    }

    // --------------------------------------------------------------------------------------- what is not mutated

    static final int LIMIT = start(4);
    static final Supplier<String> LATER = () -> later("x");

    private static int start(int a) { return a * a + 1; }
    private static String later(String a) { return a + a; }

    static String never() { return null; }
    static int none() { return 0; }
    static boolean no() { return false; }
    static boolean always() { return true; }
    static String empty() { return ""; }
    static List<String> emptyList() { return Collections.emptyList(); }
    static Object indirectly() {
        Object none = null;
        System.identityHashCode(none);
        return none;
    }

    static int plumbing(List<Integer> list, int[] cells) {
        Integer last = null;
        for (Integer each : list) {
            last = each;
        }
        for (int cell : cells) {
            last = cell;
        }
        assert list.size() - 3 > 0 : "short";
        for (int i = 0; i < 4; i++) {
            last = i;
        }
        Logger.getGlobal().fine("loops " + (last - 1));
        return last * -1;
    }

    static String chosen(String a) {
        switch (a) {
            case "one": return "1";
            case "two": return "2";
            default: return "many";
        }
    }

    static String closed(java.io.StringReader a) throws java.io.IOException {
        try (java.io.Reader reader = a) {
            return "" + (char) reader.read();
        }
    }

    enum Kind {
        A(1), B(2);

        final int number;

        Kind(int number) { this.number = number + 1; }

        int twice() { return number * 2; }
    }

    record Pair(int left, int right) {
        int sum() {
            return left + right;
        }
    }
}
