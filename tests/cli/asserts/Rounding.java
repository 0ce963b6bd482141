package asserts;

public class Rounding {
    public static int up(int x, int step) {
        assert step > 0;
        return (x + step - 1) / step * step;
    }
}
