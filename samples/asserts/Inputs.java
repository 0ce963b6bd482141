// Idea: a queue of values from which the sample programs read
package samples.asserts;

/**
 * Holds the values which a sample program reads, in the order in which they were set.
 * Each call of a next method uses up one value. When no value is left, or the value has another
 * type, the method returns 0, false or the empty string.
 */
public final class Inputs {

    private static Object[] queue = new Object[0];
    private static int index = 0;

    private Inputs() {
    }

    public static void set(Object... values) {
        queue = values == null ? new Object[0] : values.clone();
        index = 0;
    }

    private static Object next() {
        if (index >= queue.length) {
            return null;
        }
        Object value = queue[index];
        index++;
        return value;
    }

    public static int nextInt() {
        Object value = next();
        return value instanceof Integer ? (Integer) value : 0;
    }

    public static long nextLong() {
        Object value = next();
        return value instanceof Long ? (Long) value : 0L;
    }

    public static double nextDouble() {
        Object value = next();
        return value instanceof Double ? (Double) value : 0.0;
    }

    public static float nextFloat() {
        Object value = next();
        return value instanceof Float ? (Float) value : 0.0f;
    }

    public static boolean nextBoolean() {
        Object value = next();
        return value instanceof Boolean ? (Boolean) value : false;
    }

    public static char nextChar() {
        Object value = next();
        return value instanceof Character ? (Character) value : '\0';
    }

    public static String nextString() {
        Object value = next();
        return value instanceof String ? (String) value : "";
    }

    public static byte nextByte() {
        Object value = next();
        return value instanceof Byte ? (Byte) value : (byte) 0;
    }

    public static short nextShort() {
        Object value = next();
        return value instanceof Short ? (Short) value : (short) 0;
    }
}
