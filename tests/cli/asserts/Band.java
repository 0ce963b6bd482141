package asserts;

public class Band {
    private final int low, high;
    public Band(int low, int high) {
        assert low <= high : low + " > " + high;
        this.low = low;
        this.high = high;
    }
    public boolean has(int x) {
        return low <= x && x <= high;
    }
}
