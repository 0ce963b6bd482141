// Idea: two weights of opposite sign add up to zero
// Verdict: wrong, 10, 500, 20, -500
package samples.asserts;

public class WeightedMean {

    static long mean(long first, long firstWeight, long second, long secondWeight) {
        long weights = firstWeight + secondWeight;
        return (first * firstWeight + second * secondWeight) / weights;
    }

    public static void main(String[] args) {
        int first = Inputs.nextInt();
        int firstWeight = Inputs.nextInt();
        int second = Inputs.nextInt();
        int secondWeight = Inputs.nextInt();
        if (firstWeight == 0) {
            return;
        }
        if (firstWeight > 0 && secondWeight >= 0 && first == second) {
            assert mean(first, firstWeight, second, secondWeight) == first;
        } else {
            mean(first, firstWeight, second, secondWeight);
        }
    }
}
