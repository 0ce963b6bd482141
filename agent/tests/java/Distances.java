import java.util.Objects;

/** One method a kind of condition. */
public class Distances {
    static boolean eq(int a, int b) {
        return a == b;
    }

    static boolean ne(int a, int b) {
        return a != b;
    }

    static boolean lt(int a, int b) {
        return a < b;
    }

    static boolean ge(int a, int b) {
        return a >= b;
    }

    static boolean gt(int a, int b) {
        return a > b;
    }

    static boolean le(int a, int b) {
        return a <= b;
    }

    static boolean zero(int a) {
        return a == 0;
    }

    static boolean notZero(int a) {
        return a != 0;
    }

    static boolean negative(int a) {
        return a < 0;
    }

    static boolean notNegative(int a) {
        return a >= 0;
    }

    static boolean positive(int a) {
        return a > 0;
    }

    static boolean notPositive(int a) {
        return a <= 0;
    }

    static boolean longs(long a, long b) {
        return a < b;
    }

    static boolean longEq(long a, long b) {
        return a == b;
    }

    static boolean floats(float a, float b) {
        return a > b;
    }

    static boolean doubles(double a, double b) {
        return a <= b;
    }

    static boolean doubleEq(double a, double b) {
        return a == b;
    }

    static boolean isNull(Object a) {
        return a == null;
    }

    static boolean same(Object a, Object b) {
        return a == b;
    }

    static int instance(Object a) {
        return a instanceof String ? 1 : 2;
    }

    static int equalsIf(String a, String b) {
        return a.equals(b) ? 1 : 2;
    }

    static int objectsEqual(Object a, Object b) {
        return Objects.equals(a, b) ? 1 : 2;
    }

    static int ignoreCase(String a, String b) {
        return a.equalsIgnoreCase(b) ? 1 : 2;
    }

    static int startsWith(String a, String b) {
        return a.startsWith(b) ? 1 : 2;
    }

    static int endsWith(String a, String b) {
        return a.endsWith(b) ? 1 : 2;
    }

    static int contains(String a, String b) {
        return a.contains(b) ? 1 : 2;
    }

    static int isEmpty(String a) {
        return a.isEmpty() ? 1 : 2;
    }

    static int mixed(boolean first, String a) {
        return (first ? a.equals("x") : false) ? 1 : 2;
    }

    static int table(int key) {
        switch (key) {
            case 3:
                return 1;
            case 4:
                return 2;
            case 6:
                return 3;
            default:
                return 4;
        }
    }

    static int lookup(int key) {
        switch (key) {
            case -1000000000:
                return 1;
            case 7:
                return 2;
            case 2000000000:
                return 3;
            default:
                return 4;
        }
    }

    static int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }
}
