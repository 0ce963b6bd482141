package replay;

/** Arrays of every kind, symbolic indices and sizes. */
public class Arrays1 {
    public static int index(int i, int v) {
        int[] a = {3, 1, 4, 1, 5};
        if (a[i] == 4) {
            return 1;
        }
        a[i] = v;
        return a[2] > 10 ? 2 : a[4];
    }

    public static int size(int n) {
        int[] a = new int[n];
        if (a.length > 3) {
            return a[3] + a.length;
        }
        return -1;
    }

    public static int kinds(int i, int v) {
        byte[] b = new byte[4];
        char[] c = new char[4];
        short[] s = new short[4];
        long[] l = new long[4];
        boolean[] z = new boolean[4];
        b[i] = (byte) v;
        c[i] = (char) v;
        s[i] = (short) v;
        l[i] = v;
        z[i] = v > 3;
        if (b[1] != v) {
            return 1;
        }
        if (c[2] == s[2] && z[3]) {
            return 2;
        }
        return l[0] == 9 ? 3 : 4;
    }

    public static int given(int[] a, int n) {
        int sum = 0;
        for (int x : a) {
            if (x > n) {
                sum += x;
            }
        }
        return sum > 10 ? 1 : 0;
    }

    public static int twoDimensions(int i, int j) {
        int[][] a = new int[3][4];
        a[i][j] = 5;
        return a[1][2] == 5 ? 1 : a.length * a[0].length;
    }

    public static int copy(int i, int v) {
        int[] a = {1, 2, 3};
        int[] b = new int[5];
        a[1] = v;
        System.arraycopy(a, 0, b, 2, 3);
        return b[3] == 42 ? 1 : b[2 + i];
    }

    public static int references(int i) {
        Object[] a = {"x", 1, null};
        if (a[i] == null) {
            return 1;
        }
        return a[i] instanceof String ? 2 : 3;
    }

    public static int store(int i) {
        Object[] a = new String[2];
        try {
            a[0] = i > 3 ? (Object) "s" : (Object) Integer.valueOf(i);
        } catch (ArrayStoreException e) {
            return -1;
        }
        return 1;
    }

    public static int sorted(int a, int b) {
        int[] x = {a, b, 2};
        java.util.Arrays.sort(x);
        return x[0] == 2 ? 1 : 2;
    }
}
