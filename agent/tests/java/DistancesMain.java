import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** Calls the methods of {@link Distances} and prints what the sink saw, one call a line. */
public class DistancesMain {
    public static void main(String[] arguments) throws Exception {
        for (String name : new String[] {"eq", "ne", "lt", "ge", "gt", "le"}) {
            run(name, 3, 10);
            run(name, 10, 3);
            run(name, 5, 5);
        }
        run("lt", Integer.MAX_VALUE, Integer.MIN_VALUE);
        for (String name : new String[] {"zero", "notZero", "negative", "notNegative", "positive", "notPositive"}) {
            run(name, 0);
            run(name, 4);
            run(name, -4);
        }
        run("longs", 5L, 1L << 40);
        run("longs", 1L << 40, 5L);
        run("longEq", 7L, 7L);
        run("longEq", Long.MAX_VALUE, Long.MAX_VALUE - 1);
        run("floats", 1.5f, 1.25f);
        run("floats", 1.25f, 1.5f);
        run("floats", Float.NaN, 1f);
        run("doubles", 1.0, 1.0);
        run("doubles", 2.5, 1.0);
        run("doubles", Double.POSITIVE_INFINITY, 1.0);
        run("doubleEq", 0.1, 0.3);
        run("doubleEq", Double.NaN, Double.NaN);
        run("isNull", (Object) null);
        run("isNull", "x");
        run("same", "x", "x");
        run("same", "x", "y");
        run("instance", "x");
        run("instance", 1);
        run("equalsIf", "hello", "hallo");
        run("equalsIf", "hello", "hello");
        run("equalsIf", "", "abc");
        run("equalsIf", "abc", null);
        run("equalsIf", null, "abc");
        run("objectsEqual", "ab", "ac");
        run("objectsEqual", 1, 2);
        run("ignoreCase", "HELLO", "hello");
        run("ignoreCase", "HELLO", "hellp");
        run("startsWith", "abcdef", "abd");
        run("startsWith", "ab", "abcd");
        run("endsWith", "abcdef", "xef");
        run("contains", "one two", "twp");
        run("contains", "one two", "two");
        run("isEmpty", "abc");
        run("isEmpty", "");
        run("mixed", false, "y");
        run("mixed", true, "y");
        run("table", 3);
        run("table", 5);
        run("table", 100);
        run("lookup", 7);
        run("lookup", -1000000000);
        run("lookup", 8);
        run("loop", 3);
    }

    private static void run(String name, Object... arguments) throws Exception {
        Method method = null;
        for (Method candidate : Distances.class.getDeclaredMethods()) {
            if (candidate.getName().equals(name)) {
                method = candidate;
            }
        }
        method.setAccessible(true);
        Object result;
        TracewrightSearch.begin(1000);
        try {
            result = method.invoke(null, arguments);
        } catch (InvocationTargetException thrown) {
            result = thrown.getCause().getClass().getSimpleName();
        }
        TracewrightSearch.end();
        StringBuilder text = new StringBuilder(name + Arrays.toString(arguments) + " = " + result + " |");
        for (int i = 0; i < TracewrightSearch.branches.length; i++) {
            if (!Double.isNaN(TracewrightSearch.branches[i])) {
                text.append(' ').append(i).append(':').append(TracewrightSearch.branches[i]);
            }
        }
        text.append(" |");
        for (int i = 0; i < TracewrightSearch.lines.length; i++) {
            if (TracewrightSearch.lines[i] != 0) {
                text.append(' ').append(i);
            }
        }
        System.out.println(text + " | " + Arrays.toString(TracewrightSearch.seenStrings()));
    }
}
