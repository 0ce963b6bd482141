import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** One method a kind of trace event. */
public class Traced {
    static int initialised = 40 + 2;
    int field;
    long wide;
    String name;
    int[] cells = {1, 2, 3};

    Traced(int field, String name) {
        this.field = field;
        this.name = name;
    }

    static int branches(int a, Object b) {
        int r = a > 0 ? 1 : 2;
        return b == null ? r : r + 1;
    }

    static int switches(int a) {
        switch (a) {
            case 1:
                return 10;
            case 2:
                return 20;
            default:
                return 30;
        }
    }

    double loads(int i) {
        double[] d = {0.5};
        float[] f = {1.5f};
        return field + wide + cells[i] + d[0] + f[0] + name.length() + initialised;
    }

    static String calls(List<String> list, char[] chars) {
        list.add("x");
        String text = String.valueOf(chars) + list.get(0);
        return text.trim() + new String(text.toCharArray());
    }

    static Integer boxed(int a) {
        return Integer.valueOf(a + 1000);
    }

    static int caught(int[] a) {
        try {
            return a[5];
        } catch (ArrayIndexOutOfBoundsException e) {
            return -1;
        } finally {
            initialised++;
        }
    }

    static void sorted(List<String> list) {
        list.sort(new Comparator<String>() {
            @Override
            public int compare(String a, String b) {
                return b.compareTo(a);
            }
        });
    }

    static Runnable lambda(int a) {
        return () -> initialised = a;
    }

    static synchronized long arguments(byte a, long b, float c, double d, boolean e) {
        return a + b + (long) c + (long) d + (e ? 1 : 0);
    }
}
