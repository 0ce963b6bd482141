package asserts;

public class Absolute {
    static int of(int x) {
        int y = x < 0 ? -x : x;
        assert y >= 0 : "of " + x;
        return y;
    }
}
