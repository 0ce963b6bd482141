// Idea: a remembered result of an earlier call is used for another question
// Verdict: wrong, 7, 1, 7, 2; main called twice
package samples.asserts;

public class LeftoverResult {

    static class Calculator {
        private static int lastNumber = 0;
        private static int lastResult = 0;

        static int compute(int number, int kind) {
            if (number == lastNumber) {
                return lastResult;
            }
            lastNumber = number;
            lastResult = kind == 1 ? number + number : number * number;
            return lastResult;
        }
    }

    public static void main(String[] args) {
        int number = Inputs.nextInt();
        int kind = Inputs.nextInt();
        if (number < 3 || number > 1000 || kind < 1 || kind > 2) {
            return;
        }
        int result = Calculator.compute(number, kind);
        if (kind == 1) {
            assert result == number + number;
        } else {
            assert result == number * number;
        }
    }
}
