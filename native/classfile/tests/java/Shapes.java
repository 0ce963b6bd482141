import java.util.function.IntSupplier;

/** Code of many shapes: every one of them is awkward for whoever moves code. */
class Shapes {
    final long size;
    static final String NAME = "caf\u00e9 \0";

    Shapes(boolean wide) {
        this(wide ? 1L << 40 : new int[] {1, 2, 3}.length);
    }

    Shapes(long size) {
        this.size = size;
    }

    // The loop starts at bci 0.
    static void spin(int n) {
        do {
            n--;
        } while (n > 0);
    }

    // `new` with a jump between it and its constructor.
    static String choose(boolean flag, int number) {
        return new String(flag ? "yes" : number > 3 ? "maybe" : "no");
    }

    static int table(int key) {
        switch (key) {
            case 1: return 10;
            case 2: case 3: return 20;
            case 5: key++;
            default: return key;
        }
    }

    static String lookup(String key) {
        switch (key) {
            case "one": return "1";
            case "thousand": return "1000";
            default: return null;
        }
    }

    static double kinds(int i, long l, float f, double d) {
        double sum = i;
        if (l > i) sum += l;
        if (f < d) sum -= f;
        if (d != 0.0) sum /= d;
        return f > sum ? l : sum;
    }

    int guarded(Object lock, int[] values) {
        int last = 0;
        synchronized (lock) {
            try {
                for (int value : values) {
                    last = value / last;
                }
            } catch (ArithmeticException | NullPointerException e) {
                String last2 = e.getMessage();
                return last2.length();
            } finally {
                spin(last);
            }
        }
        return last;
    }

    static Object arrays(Object[][] table, byte[] bytes, boolean[] flags) {
        long[][][] cube = new long[2][3][];
        cube[1][2] = new long[] {bytes[0], 1L};
        flags[0] |= cube[1] == null || !(table instanceof Object);
        Object found = table[0][1] == null ? table : (Object) bytes;
        return found instanceof String ? (String) found : cube;
    }

    static IntSupplier captured(int start, long step) {
        int[] counter = {start};
        return new IntSupplier() {
            @Override
            public int getAsInt() {
                return counter[0] += (int) step;
            }
        };
    }

    static void endless() {
        while (true) {
            spin(3);
        }
    }
}
