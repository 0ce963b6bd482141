package asserts;

public class Half {
    public static long of(long x) {
        if (x % 2 != 0) {
            assert x > 0;
            return x / 2 + 1;
        }
        return x / 2;
    }
}
