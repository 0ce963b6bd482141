package asserts;

public class Counter {
    private int count;
    private final int most;
    public Counter(int most) {
        this.most = most;
    }
    public int next() {
        count++;
        assert count <= most || most < 0 : "more than " + most;
        return count;
    }
}
