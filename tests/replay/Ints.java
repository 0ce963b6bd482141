package replay;

/** Integer, long and narrow arithmetic, conversions, comparisons. */
public class Ints {
    public static int arithmetic(int a, int b) {
        int s = a + b * 3 - (a ^ b);
        s = (s << 3) | (a >>> 2) & (b >> 1);
        if (s > 100) {
            return s - ~a;
        }
        if (-s >= b) {
            s++;
            s += 300;
        }
        return s;
    }

    public static int division(int a, int b) {
        if (a / b > 3) {
            return a % b;
        }
        return b == -1 ? a / b : 7;
    }

    public static long longs(long a, long b) {
        long s = a * b + (a >> 5) - (b >>> 60);
        if (s < a) {
            return s ^ b;
        }
        if (a % 7 == 3) {
            return a | b << 2;
        }
        return -(a & b);
    }

    public static long longDivision(long a, long b) {
        return a / b == 12L ? 1 : a % b;
    }

    public static int narrow(int a, long b) {
        byte x = (byte) a;
        short y = (short) (a >> 3);
        char z = (char) b;
        int w = (int) b;
        if (x < 0 && y > 5) {
            return z;
        }
        return z > 60000 ? w : x;
    }

    public static int small(byte a, short b, char c, boolean d) {
        if (d && a > b) {
            return c;
        }
        if (c == 'x') {
            return a;
        }
        return d ? b : -b;
    }

    public static int table(int a) {
        switch (a) {
            case 1:
                return 10;
            case 2:
            case 3:
                return 20;
            case 5:
                return 30;
            default:
                return 40;
        }
    }

    public static int lookup(int a) {
        switch (a) {
            case -1000:
                return 1;
            case 0:
                return 2;
            case 77777:
                return 3;
            default:
                return 4;
        }
    }

    public static int shifts(int a, int n, long b) {
        int x = a << n;
        long y = b >> n;
        long z = b >>> n;
        return (x > a ? 1 : 0) + (y == z ? 2 : 0);
    }

    public static int loop(int n, int step) {
        int sum = 0;
        for (int i = 0; i < n && i < 20; i++) {
            sum += i * step;
            if (sum > 50) {
                break;
            }
        }
        return sum;
    }

    public static int library(int a, int b) {
        int m = Math.max(a, b);
        if (Math.abs(a) > 100) {
            m = Math.min(m, 100);
        }
        if (Integer.compare(a, b) < 0) {
            return m;
        }
        return m == b ? Math.addExact(a, b) : Math.multiplyExact(a, b);
    }

    /** Inputs decide in the called method only. */
    public static int answers(int a, int b) {
        int s = 0;
        if (isBetween(a, b)) {
            s = 1;
        }
        return isBetween(b, 7) ? s + 2 : s;
    }

    private static boolean isBetween(int a, int b) {
        if (a < 0) {
            return false;
        }
        return a < b;
    }

    public static int boxes(int a, long b, boolean c) {
        Integer x = a;
        Long y = b;
        Boolean z = c;
        if (x > 5 && y.intValue() < 3) {
            return x;
        }
        return z ? y.intValue() : 1;
    }
}
