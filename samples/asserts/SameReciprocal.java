// Idea: zero and minus zero are equal but their reciprocals differ
// Verdict: wrong, 0.0, -0.0
package samples.asserts;

public class SameReciprocal {

    static double reciprocal(double value) {
        return 1.0 / value;
    }

    public static void main(String[] args) {
        double first = Inputs.nextDouble();
        double second = Inputs.nextDouble();
        if (first == second) {
            assert reciprocal(first) == reciprocal(second);
        } else {
            assert first < second || first > second || first != first || second != second;
        }
    }
}
