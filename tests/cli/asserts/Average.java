package asserts;

public class Average {
    public static int of(int[] values) {
        assert values.length > 0 : "no values";
        int sum = 0;
        for (int value : values) sum += value;
        return sum / values.length;
    }
}
