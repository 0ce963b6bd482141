package asserts;

public class Percent {
    public static double of(double part, double whole) {
        double share = part / whole;
        assert !Double.isNaN(share);
        return 100 * share;
    }
}
