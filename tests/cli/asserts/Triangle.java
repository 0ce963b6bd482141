package asserts;

public class Triangle {
    public static int perimeter(int a, int b, int c) {
        assert a < b + c && b < a + c && c < a + b;
        return a + b + c;
    }
}
