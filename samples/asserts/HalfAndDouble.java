// Idea: a number is doubled and then halved
// Verdict: right, doubling is exact when it does not overflow; paths: few
package samples.asserts;

public class HalfAndDouble {

    public static void main(String[] args) {
        double value = Inputs.nextDouble();
        if (!(value >= -1.0e300 && value <= 1.0e300)) {
            return;
        }
        double twice = value * 2.0;
        assert twice / 2.0 == value;
        if (value > 0.0) {
            assert twice > value;
        }
        if (value < 0.0) {
            assert twice < value;
        }
    }
}
