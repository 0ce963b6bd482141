package replay;

/** Floats and doubles. */
public class Floats {
    public static int floats(float a, float b) {
        float c = a * b + 1.5f;
        if (c > a) {
            return (int) c;
        }
        if (c != c) {
            return -1;
        }
        return a / b < 2f ? 1 : (int) (a % b);
    }

    public static int doubles(double a, int b) {
        double c = a - b;
        if (c <= 0.25) {
            return (int) (long) c;
        }
        return (float) c >= 10f ? (int) (c * 2) : -b;
    }

    public static long conversions(double a, float b, long c) {
        long r = (long) a + (int) b;
        if ((double) c > a) {
            r += (long) (float) c;
        }
        return r;
    }

    public static double result(double a, double b) {
        return Math.abs(a) < b ? -a : Math.sqrt(b);
    }
}
