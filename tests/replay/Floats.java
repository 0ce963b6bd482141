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

    public static double extremes(double a, double b) {
        double c = Math.min(a, b) + Math.max(a, -b);
        if (c > 3 || Math.signum(a) == Math.copySign(1.0, b)) {
            return StrictMath.max(a, b);
        }
        return Math.min(-a, b);
    }

    public static float singles(float a, float b) {
        float c = Math.min(a, b) + Math.max(a, -b) + Math.abs(b);
        if (Math.round(a) > 2 || Math.signum(a) == Math.copySign(1f, b)) {
            return Math.max(a, b) + Math.nextUp(c);
        }
        return Float.compare(a, b) < 0 ? Math.nextDown(a) : Math.getExponent(b);
    }

    public static double rounding(double a) {
        double r = Math.floor(a) + 2 * Math.ceil(a) + 3 * Math.rint(a);
        long whole = Math.round(a);
        if (whole > 1 || r < -7) {
            return StrictMath.floor(-a) + StrictMath.rint(a / 2);
        }
        return whole == 0 ? 1 / Math.ceil(a) : Math.nextUp(a) + Math.nextDown(a);
    }

    public static int kinds(double a, float b) {
        int r = Double.isNaN(a) ? 1 : 0;
        r += Double.isInfinite(a) ? 2 : 0;
        r += Double.isFinite(a) ? 4 : 0;
        r += Float.isNaN(b) ? 8 : 0;
        r += Float.isInfinite(b) ? 16 : 0;
        return Float.isFinite(b) ? r + 32 : r;
    }

    public static long bits(double a, float b, double c) {
        long r = Double.doubleToLongBits(a) ^ Float.floatToIntBits(b);
        if (Double.doubleToRawLongBits(a) == Double.doubleToRawLongBits(c)) {
            return r + 1;
        }
        if (Double.compare(a, c) > 0) {
            return Double.hashCode(a) + Float.hashCode(b);
        }
        return Math.getExponent(a) + Double.doubleToRawLongBits(a + c) + Float.floatToRawIntBits(-b);
    }

    public static double fromBits(long a, int b) {
        double c = Double.longBitsToDouble(a);
        if (c < Float.intBitsToFloat(b)) {
            return -c;
        }
        return Float.intBitsToFloat(b * 4);
    }

    public static int boxes(double a, float b) {
        Double x = a;
        Double y = a + 0.0;
        Float z = b;
        if (x.equals(y)) {
            return x.hashCode() + (x.equals(z) ? 7 : 0);
        }
        return x.compareTo(y) + z.hashCode() + (x.isNaN() ? 5 : 0) + (z.isInfinite() ? 3 : 0) + (z.equals(2f) ? 1 : 0);
    }

    public static double functions(double a, double b) {
        if (Math.sin(a) > Math.cos(b)) {
            return Math.exp(b) + Math.hypot(a, b);
        }
        if (Math.pow(a, b) > 2) {
            return StrictMath.atan2(a, b) + StrictMath.cbrt(a);
        }
        return Math.log(a) < 1 ? Math.IEEEremainder(a, b) : StrictMath.tanh(b);
    }

    public static double angles(double a) {
        return Math.toRadians(a) > 0.5 ? Math.toDegrees(a) : Math.nextAfter(a, 1);
    }

    public static long casts(double a, float b) {
        long r = (long) a - (int) a + (long) b + (int) b;
        r += (byte) a + (char) b + (short) a;
        return (float) a == b ? r : -r;
    }
}
