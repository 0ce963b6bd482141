package replay;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** Lambdas, method references, concatenation, record methods. */
public class Dynamic1 {
    interface Twice {
        int once(int value);

        default int apply(int value) {
            return once(once(value)) + own(value);
        }

        private int own(int value) {
            return value > 2 ? 1 : 0;
        }

        static Twice plus(int by) {
            return value -> value + by;
        }
    }

    interface Marker {
    }

    interface Shaper<T extends Number> extends Function<Integer, T> {
        T apply(Integer value);
    }

    static class Point {
        final int x;
        int y;

        Point(int x) {
            this.x = x;
        }

        Point(int x, int y) {
            this(x);
            this.y = y;
        }

        int sum() {
            return x + y;
        }

        int plus(Point other) {
            return sum() + other.sum();
        }

        static int twice(int value) {
            return 2 * value;
        }

        @Override
        public String toString() {
            return y > 3 ? "far" : "p" + x;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Point && ((Point) other).x == x;
        }

        @Override
        public int hashCode() {
            return x * 7;
        }
    }

    static class Deep extends Point {
        Deep(int x) {
            super(x, 2);
        }

        @Override
        int sum() {
            IntSupplier above = super::sum;
            return above.getAsInt() + 100;
        }
    }

    /** Captured values and arguments, called at once. */
    public static int captures(int a, long b, boolean c) {
        IntBinaryOperator op = (x, y) -> c ? x * a + y : x - y;
        IntSupplier later = () -> op.applyAsInt(a, (int) b) + 1;
        Runnable run = () -> {
        };
        run.run();
        if (later.getAsInt() > 10) {
            return 1;
        }
        return op.applyAsInt(3, 4) == 7 ? 2 : 3;
    }

    static Supplier<IntSupplier> nested(int a) {
        return () -> () -> a + 5;
    }

    public static int inner(int a) {
        IntSupplier supplier = nested(a).get();
        return supplier.getAsInt() > 8 ? supplier.getAsInt() : -1;
    }

    public static int references(int a, int b) {
        IntUnaryOperator twice = Point::twice;
        ToIntFunction<Point> sum = Point::sum;
        BiFunction<Integer, Integer, Point> make = Point::new;
        IntFunction<Point> one = Point::new;
        IntFunction<int[]> array = int[]::new;
        Point p = one.apply(twice.applyAsInt(a));
        Point q = make.apply(a, b);
        ToIntFunction<Point> plus = p::plus;
        int result = plus.applyAsInt(q);
        if (result > 20) {
            return sum.applyAsInt(q) > 5 ? 1 : 2;
        }
        ToIntFunction<Point> deep = Point::sum;
        return deep.applyAsInt(new Deep(a)) == 105 ? 3 : array.apply(2).length;
    }

    /** Boxing, unboxing and widening on the way in and out. */
    public static int adapted(int a, long b) {
        Function<Integer, Integer> boxed = Point::twice;
        ToLongFunction<Integer> wide = Point::twice;
        IntFunction<Object> object = Point::twice;
        UnaryOperator<Long> minus = x -> -x;
        BiFunction<Integer, Integer, Integer> max = Math::max;
        IntFunction<Integer> box = Integer::valueOf;
        Function<Integer, Long> sum = Integer::longValue;
        int r = boxed.apply(a) > 7 ? 1 : 0;
        r += wide.applyAsLong(a) > 9L ? 10 : 0;
        r += (Integer) object.apply(a) > 11 ? 100 : 0;
        r += minus.apply(b) > 3 ? 1000 : 0;
        r += max.apply(a, 5) > 6 ? 10000 : 0;
        r += box.apply(a) == 4 ? 100000 : 0;
        return r + (sum.apply(a) == 3L ? 1000000 : 0);
    }

    public static int defaults(int a) {
        Twice square = x -> x * x;
        Twice plus = Twice.plus(a);
        if (plus.apply(3) > 12) {
            return 1;
        }
        return square.apply(a) == 81 ? 2 : square.once(a) > 3 ? 3 : 4;
    }

    public static int serializable(int a) {
        Runnable marked = (Runnable & Serializable & Marker) () -> {
        };
        Comparator<Integer> order = (Comparator<Integer> & Serializable) (x, y) -> x - y + a;
        Shaper<Integer> shaper = x -> x + a;
        Function<Integer, ? extends Number> plain = shaper;
        marked.run();
        int r = marked instanceof Marker && marked instanceof Serializable ? 1 : 0;
        r += order.compare(3, a) > 2 ? 2 : 4;
        return (Integer) plain.apply(2) > 6 ? r : -r;
    }

    /** Failures inside lambdas and on the way to them. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static int failing(int a) {
        Function<Integer, Integer> divide = x -> 10 / x;
        ToIntFunction<Point> sum = Point::sum;
        Function<Integer, Integer> twice = Point::twice;
        try {
            if (a > 4) {
                return sum.applyAsInt(null);
            }
            if (a == 3) {
                return twice.apply(null);
            }
            if (a == 2) {
                return ((Function<Object, Integer>) (Function) divide).apply("text");
            }
            return divide.apply(a);
        } catch (NullPointerException e) {
            return -1;
        } catch (ArithmeticException e) {
            return -2;
        } catch (ClassCastException e) {
            return -3;
        }
    }

    /** Lambdas that the library calls: captured values keep what they are. */
    public static int callBacks(int a, int b) {
        List<Integer> list = new ArrayList<>(List.of(3, 1, 2));
        int[] seen = {0};
        list.forEach(x -> {
            if (x + a > 4) {
                seen[0]++;
            }
        });
        IntPredicate positive = x -> x > b;
        list.removeIf(x -> b > 100);
        return positive.test(a) ? seen[0] : -1;
    }

    /** What the library's own lambda passes on. */
    public static int negated(int a, int b) {
        IntPredicate positive = x -> x > b;
        return positive.negate().test(a) ? 1 : 2;
    }

    /** Called back from code that is not interpreted. */
    public static int opaquely(int a, long b) {
        ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> a > 4 ? 1 : b < 3 ? 2 : 3);
        return local.get();
    }

    public static int several(int a, int b) {
        List<Consumer<int[]>> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int step = i + (i == 1 ? a : b);
            all.add(cell -> cell[0] += step > 3 ? 1 : 2);
        }
        int[] cell = {0};
        for (Consumer<int[]> one : all) {
            one.accept(cell);
        }
        return cell[0] > 4 ? 1 : cell[0];
    }

    // Concatenation.

    public static int text(String s, char c, boolean b) {
        String t = "<" + s + ":" + c + b + ">";
        if (t.length() > 12) {
            return 1;
        }
        if (t.charAt(1) == 'a') {
            return 2;
        }
        return t.equals("<x:xtrue>") ? 3 : 4;
    }

    public static int twoTexts(String s, String t) {
        String both = s + t;
        if (both.equals("onetwo")) {
            return 1;
        }
        if (both.length() == 4 && both.charAt(2) == 'a') {
            return 2;
        }
        String same = "" + s;
        return same == s ? 5 : same.equals(t) ? 3 : 4;
    }

    public static String objects(int a, int b) {
        Point p = new Point(a, b);
        Point q = new Point(b, a);
        String t = "" + p + q + null + 1.5f + 12L + (Object) a + (byte) 3 + 2.0;
        return t.length() > 24 ? t : t + List.of(p) + new int[0].length;
    }

    public static int build(int a, char c) {
        String t = "" + new Point(3, a) + c;
        return t.startsWith("far") ? t.charAt(3) == 'x' ? 1 : 2 : t.charAt(2) == 'q' ? 3 : 4;
    }

    // Records.

    record Plain(int a, long b, boolean c, byte d) {
    }

    record Mixed(String name, Integer number, Point point, double value, Object other) {
    }

    record Empty() {
    }

    public static int recordEquals(int a, long b, boolean c, byte d) {
        Plain x = new Plain(a, b, c, d);
        Plain y = new Plain(3, 4L, true, d);
        if (x.equals(y)) {
            return 1;
        }
        return x.equals(new Plain(a, 2L, c, (byte) 1)) ? 2 : x.equals(null) || x.equals("x") ? 3 : 4;
    }

    public static int recordHash(int a, long b, boolean c, byte d) {
        int hash = new Plain(a, b, c, d).hashCode();
        if (new Empty().hashCode() != 0 || !new Empty().equals(new Empty())) {
            return 3;
        }
        return hash > 100000 ? 1 : 2;
    }

    public static int recordMixed(String s, int a, double v) {
        Mixed x = new Mixed(s, a, new Point(a), v, null);
        Mixed y = new Mixed("abc", 4, new Point(4), v, null);
        if (x.equals(y)) {
            return 1;
        }
        Mixed z = new Mixed(s, 2, new Point(2), 1.0, new Plain(a, 1, true, (byte) 0));
        return z.equals(new Mixed("a", 2, new Point(2), v, new Plain(3, 1, true, (byte) 0))) ? 2 : 3;
    }

    public static int recordHashes(int a) {
        Mixed x = new Mixed("abc", a, new Point(a), 0.5, new Point(2));
        return (x.hashCode() & 4) == 0 ? 1 : 2;
    }

    public static int recordText(char c, boolean b) {
        record One(char c, boolean b, Point p) {
        }
        String t = new One(c, b, new Point(1, 9)).toString();
        return t.charAt(6) == 'q' ? 1 : t.length() > 22 ? 2 : 3;
    }

    // Calls that are not what they look like.

    interface Left {
        default int who(int a) {
            return a > 3 ? 1 : 2;
        }
    }

    interface Right {
        default int who(int a) {
            return a > 5 ? 10 : 20;
        }
    }

    static class Both implements Left, Right, Comparable<Both> {
        int value;

        @Override
        public int who(int a) {
            return Left.super.who(a) + Right.super.who(a);
        }

        @Override
        public int compareTo(Both other) {
            return value - other.value;
        }
    }

    static int sum(int... values) {
        int sum = 0;
        for (int value : values) {
            sum += value;
        }
        return sum;
    }

    static <T extends Comparable<T>> boolean isLess(T a, T b) {
        return a.compareTo(b) < 0;
    }

    public static int special(int a) {
        Both one = new Both();
        Both two = new Both();
        one.value = a;
        two.value = 4;
        Left left = one;
        int r = left.who(a);
        if (isLess(one, two)) {
            r += 100;
        }
        return sum(a, r, 3) > 30 ? r : sum() + sum(a);
    }

    enum Size {
        SMALL, MIDDLE, LARGE
    }

    static Size size(int a) {
        return a < 2 ? Size.SMALL : a < 5 ? Size.MIDDLE : Size.LARGE;
    }

    public static int oldSwitches(int a) {
        switch (size(a)) {
            case SMALL:
                return a == 1 ? 1 : 2;
            case LARGE:
                return a == 7 ? 3 : 4;
            default:
                return 5;
        }
    }

    /** Returned to the test case, which calls it. */
    public static IntUnaryOperator adder(int a) {
        return x -> x + a > 10 ? 1 : 0;
    }
}
