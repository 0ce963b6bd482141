package p;

/** Values, overloads, exceptions with and without messages. */
public final class Point implements Comparable<Point> {
    public static final Point ORIGIN = new Point(0, 0);
    public static int made;

    public enum Axis { X, Y { @Override public String toString() { return "why"; } } }

    public final int x;
    public final int y;

    public Point(int x, int y) {
        this.x = x;
        this.y = y;
        made++;
    }

    public int getX() { return x; }

    public double length() { return Math.sqrt((double) x * x + (double) y * y); }

    public float ratio() { return x / (float) y; }

    public Point plus(Point other) { return new Point(x + other.x, y + other.y); }

    public Point self() { return this; }

    public Point divide(int divisor) {
        if (divisor == 0) {
            throw new IllegalArgumentException("the divisor is \"zero\"");
        }
        return new Point(x / divisor, y / divisor);
    }

    public int[] cells() { return new int[] {x, y}; }

    public Object boxed() { return x; }

    public Integer boxedX() { return x; }

    public Axis axis() { return x == 0 ? Axis.Y : Axis.X; }

    public char sign() { return x < 0 ? '-' : '+'; }

    public byte small() { return (byte) x; }

    public long wide() { return x; }

    public boolean isOrigin() { return x == 0 && y == 0; }

    static String describe(Object o) { return "object"; }

    static String describe(String s) { return "string"; }

    static String describe(Integer i) { return "integer"; }

    static String describe(int i) { return "int"; }

    static String describe(long l) { return "long"; }

    static String describe(char[] c) { return "chars"; }

    static int sum(int... numbers) {
        int sum = 0;
        for (int number : numbers) {
            sum += number;
        }
        return sum;
    }

    static String join(String separator, Object... parts) { return parts.length + separator; }

    void read(java.io.Reader reader) throws java.io.IOException {
        if (reader.read() < 0) {
            throw new java.io.EOFException();
        }
    }

    @Override
    public int compareTo(Point other) { return Integer.compare(x, other.x); }

    @Override
    public boolean equals(Object other) { return other instanceof Point && ((Point) other).x == x && ((Point) other).y == y; }

    @Override
    public int hashCode() { return 31 * x + y; }

    @Override
    public String toString() { return x + "/" + y; }
}
