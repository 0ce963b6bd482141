// Idea: a number is moved into the range from zero to one
// Verdict: right, a value that is not a number becomes zero; paths: few
package samples.asserts;

public class ClampedShare {

    static double clamp(double value) {
        if (value >= 1.0) {
            return 1.0;
        }
        if (value >= 0.0) {
            return value;
        }
        return 0.0;
    }

    public static void main(String[] args) {
        double share = Inputs.nextDouble();
        double clamped = clamp(share);
        assert clamped >= 0.0 && clamped <= 1.0;
        assert clamp(clamped) == clamped;
        if (share > 0.25 && share < 0.75) {
            assert clamped == share;
        }
    }
}
