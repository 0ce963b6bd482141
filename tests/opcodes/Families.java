package opcodes;

import java.util.function.IntUnaryOperator;

/** Code that javac compiles, one method for each family of JVMS §2.11. */
public class Families {
    private static long total;
    private int[] cells = {1, 2, 3};
    private double ratio;
    private float scale = 2f;
    private Families next;

    public static int loads(int a, long b, float c, double d, String e, int[] f) {
        int i = a;
        long j = b;
        float k = c;
        double l = d;
        String m = e;
        int[] n = f;
        if (n != null && m != null && i != 0) {
            return (int) (j + k + l) + m.length() + n.length;
        }
        return n == null ? 0 : 1;
    }

    public static int stores(int a, int b, int c, int d) {
        d = a;
        c = b;
        b = d;
        a = c;
        return a > b ? a - d : c;
    }

    public static int ints(int a, int b) {
        int s = a + b - a * b;
        s ^= a << b | a >> 3 & b >>> 2;
        s += b == 0 ? -a : a / b - a % b;
        return s < 0 ? ~s : s;
    }

    public static long longs(long a, long b) {
        long s = a + b - a * b;
        s ^= a << b | a >> 3 & b >>> 2;
        s += b == 0 ? -a : a / b - a % b;
        return s < 0 ? ~s : s;
    }

    public static float floats(float a, float b) {
        float s = a + b - a * b;
        s += b == 0 ? -a : a / b - a % b;
        return s < 0 ? 1f : s >= 2f ? s : 0f;
    }

    public static double doubles(double a, double b) {
        double s = a + b - a * b;
        s += b == 0 ? -a : a / b - a % b;
        return s > 0 ? 1 : s <= -1 ? s : 0;
    }

    public static double conversions(int a, long b, float c, double d) {
        long x = a + (long) c + (long) d;
        int y = (int) b + (int) c + (int) d;
        float z = a + (float) b + (float) d;
        double w = (double) a + b + c;
        byte p = (byte) y;
        char q = (char) x;
        short r = (short) y;
        return x > y ? w + p : z + q - r;
    }

    public static int objects(int a, int b) {
        Families first = new Families();
        first.next = new Families();
        first.next.cells[1] = a;
        first.ratio = b * 0.5;
        first.next.scale += b;
        total = b;
        total += a;
        int[][] grid = new int[3][2];
        grid[1][1] = b;
        Object[] both = {first, grid, "text"};
        if (both[1] instanceof int[][] same && same[1][1] == first.next.cells[1]) {
            return same.length + ((String) both[2]).length();
        }
        return (int) (first.ratio + first.next.scale) + (total > 0 ? 1 : 0);
    }

    public static int kinds(int at, int value) {
        boolean[] a = new boolean[4];
        byte[] b = new byte[4];
        char[] c = new char[4];
        short[] d = new short[4];
        long[] e = new long[4];
        float[] f = new float[4];
        double[] g = new double[4];
        a[at] = value > 5;
        b[at] = (byte) value;
        c[at] = (char) value;
        d[at] = (short) value;
        e[at] = value;
        f[at] = value;
        g[at] = value;
        return a[2] ? b[at] + c[at] + d[at] : (int) (e[at] + (long) f[at] + (long) g[at]);
    }

    public static int control(int a, int b, String c, String d) {
        int rounds = 0;
        for (int i = a; i < b && rounds < 20; i += 2) {
            rounds++;
            if (i == 7) {
                break;
            }
        }
        while (rounds >= 3 && rounds != a) {
            rounds -= 3;
        }
        if (c == d || c == null || a <= -3 || b > 100) {
            rounds += 50;
        }
        return switch (rounds) {
            case 0, 1, 2 -> rounds * a;
            case 1000 -> 5;
            default -> rounds;
        };
    }

    private interface Shape {
        int area(int side);

        default int twice(int side) {
            return area(side) * 2;
        }
    }

    private static class Square implements Shape {
        @Override
        public int area(int side) {
            return side * side;
        }
    }

    private static final class Cube extends Square {
        @Override
        public int area(int side) {
            return super.area(side) * 6;
        }
    }

    private int own(int a) {
        return a + cells[0];
    }

    public static int calls(int a, boolean b) {
        Shape shape = b ? new Cube() : new Square();
        int sum = shape.twice(a) + shape.area(a) + new Families().own(a);
        return sum > 40 ? sum : factorial(a & 7);
    }

    private static int factorial(int n) {
        return n <= 1 ? 1 : n * factorial(n - 1);
    }

    public static int exceptions(int a, int b) {
        int trace = 0;
        try {
            trace += 1;
            if (a == b) {
                throw new IllegalStateException();
            }
            trace += new int[a > 1000 ? 3 : a].length / b;
        } catch (IllegalStateException | NegativeArraySizeException expected) {
            trace += expected instanceof IllegalStateException ? 100 : 200;
        } finally {
            trace += 1000;
        }
        return trace;
    }

    public static int monitors(int a, int b) {
        Families guarded = new Families();
        synchronized (guarded) {
            guarded.cells[a] = b;
        }
        return guarded.cells[0] > 2 ? guarded.locked(a) : -1;
    }

    private synchronized int locked(int a) {
        return cells[a] + a;
    }

    public static int dynamic(int a, int b) {
        IntUnaryOperator add = x -> x + b;
        return add.applyAsInt(a) > 10 ? ("n" + a).length() : b;
    }
}
