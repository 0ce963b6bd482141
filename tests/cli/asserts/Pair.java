package asserts;

public record Pair(int left, int right) {
    public int difference() {
        int d = left - right;
        assert (d >= 0) == (left >= right);
        return d;
    }
}
