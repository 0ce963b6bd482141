package p;

/** Values of every kind that the rows of a table hold. */
public class Gauge {
    /** A unit. */
    public enum Unit { METRE, FOOT }

    private final int value;

    public Gauge(int value) { this.value = value; }

    public int plus(int other) { return value + other; }

    public static String label(String prefix, int level, Unit unit) {
        if (prefix == null) {
            throw new IllegalArgumentException("no prefix for " + level);
        }
        return prefix + level + unit;
    }

    public static boolean isVowel(char letter) { return "aeiou".indexOf(letter) >= 0; }

    public static double half(double number) { return number / 2; }

    public static byte narrow(byte number) { return (byte) (number / 2); }

    public static String chop(String text, long from) { return text == null ? null : text.substring((int) from); }

    public static long sum(byte[] cells) {
        long sum = 0;
        for (byte cell : cells) {
            sum += cell;
        }
        return sum;
    }
}
