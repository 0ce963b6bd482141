package replay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fields, calls, class initialisation, interfaces, inheritance, exceptions, call-backs. */
public class Objects1 {
    interface Shape {
        int area();

        default int twice() {
            return 2 * area();
        }
    }

    abstract static class Base implements Shape {
        protected int scale;
        static int made;

        Base(int scale) {
            this.scale = scale;
            made++;
            init();
        }

        void init() {
        }

        public String toString() {
            return "shape " + area();
        }
    }

    /** Mocked by test cases. */
    static class Vault {
        static int opened = 1;
        int level = 9;

        private Vault() {
            opened++;
        }

        int read(String text) {
            return text.length();
        }

        private int own() {
            return level + opened;
        }

        static int judge(Vault vault, int limit) {
            vault.level += 2;
            int sum = vault.read("abc") + vault.level + vault.own();
            return sum > limit ? vault.level : -vault.level;
        }
    }

    /** Extended by stubs of test cases. */
    abstract static class Meter {
        private int sum = 5;

        protected abstract int read();

        protected Meter() {
            sum += read();
        }

        int total(int limit) {
            sum += read();
            return sum > limit ? sum : -sum;
        }
    }

    static class Square extends Base {
        private final int side;

        Square(int side, int scale) {
            super(scale);
            this.side = side;
        }

        public int area() {
            return side * side * scale;
        }
    }

    static class Box extends Base {
        int width, height, seen;

        Box(int width, int height) {
            super(1);
            this.width = width;
            this.height = height;
        }

        @Override
        void init() {
            seen = 5;
        }

        public int area() {
            return width * height + seen;
        }

        @Override
        public int twice() {
            return super.twice() + 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Box && ((Box) other).width == width;
        }

        @Override
        public int hashCode() {
            return width;
        }
    }

    static class Lazy {
        static final int[] TABLE = new int[4];
        static int counter;

        static {
            for (int i = 0; i < TABLE.length; i++) {
                TABLE[i] = i * i;
            }
            counter = 1;
        }

        static int get(int i) {
            counter++;
            return TABLE[i & 3];
        }
    }

    static class Odd extends RuntimeException {
        final int code;

        Odd(int code) {
            super("odd " + code);
            this.code = code;
        }
    }

    public static int virtual(int a, int b) {
        Shape shape = a > b ? new Square(a, 2) : new Box(a, b);
        if (shape.area() > 40) {
            return shape.twice();
        }
        return ((Base) shape).scale == 2 ? 1 : 0;
    }

    public static int initialise(int i) {
        return Lazy.get(i) == 4 ? Lazy.counter : -1;
    }

    static int check(int a) {
        if (a % 2 != 0) {
            throw new Odd(a);
        }
        return a / 2;
    }

    public static int exceptions(int a) {
        int r = 0;
        try {
            r = check(a);
            r += 100 / r;
        } catch (Odd e) {
            r = e.code > 10 ? 1 : 2;
        } catch (ArithmeticException e) {
            r = 3;
        } finally {
            r += 10;
        }
        return r;
    }

    public static int uncaught(int a) {
        return check(a) > 5 ? 1 : 0;
    }

    public static int nulls(int a) {
        Box box = a > 3 ? null : new Box(a, 1);
        try {
            return box.width;
        } catch (NullPointerException e) {
            return -7;
        }
    }

    public static int casts(int a) {
        Object o = a > 3 ? (Object) new Box(1, 2) : (Object) "text";
        try {
            return ((Box) o).area();
        } catch (ClassCastException e) {
            return a;
        }
    }

    public static int collections(int a, int b) {
        List<Box> list = new ArrayList<>();
        list.add(new Box(a, 1));
        list.add(new Box(b, 2));
        Map<Box, Integer> map = new HashMap<>();
        map.put(list.get(0), 1);
        map.put(list.get(1), 2);
        int sum = 0;
        for (Box box : list) {
            sum += box.width;
        }
        if (sum > 10) {
            return map.size();
        }
        return list.contains(new Box(b, 7)) ? 5 : 6;
    }

    public static int lambdas(int a, int b) {
        List<Integer> list = new ArrayList<>(List.of(3, 1, 2));
        list.sort((x, y) -> a > 0 ? x - y : y - x);
        int[] sum = {0};
        list.forEach(x -> sum[0] = sum[0] * 10 + x);
        return sum[0] > b ? 1 : sum[0];
    }

    public static int parse(String s) {
        try {
            return Integer.parseInt(s) > 5 ? 1 : 2;
        } catch (NumberFormatException e) {
            return 3;
        }
    }

    public static int recursion(int n) {
        if (n <= 0 || n > 12) {
            return 1;
        }
        return n * recursion(n - 1) + (n == 3 ? 1 : 0);
    }

    public static String concat(int a, String s) {
        String t = s + a + new Box(a, 2);
        synchronized (t) {
            return t.length() > 12 ? t : null;
        }
    }

    private int value;

    public Objects1(int value) {
        this.value = value;
    }

    public Objects1 add(int more) {
        value += more;
        return value > 100 ? null : this;
    }

    public boolean isSame(Objects1 other) {
        return this == other || other.value == value;
    }

    public enum Level {
        LOW(1),
        HIGH(10) {
            @Override
            int weight() {
                return 11;
            }
        };

        final int limit;

        Level(int limit) {
            this.limit = limit;
        }

        int weight() {
            return limit;
        }
    }

    public static int enums(int a) {
        Level level = a > 4 ? Level.HIGH : Level.LOW;
        switch (level) {
            case LOW:
                return level.weight() + Level.values().length;
            default:
                return level.weight();
        }
    }
}
