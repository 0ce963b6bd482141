// Idea: the common divisor of a negative number can be negative
// Verdict: wrong, -6, 4
package samples.asserts;

public class CommonDivisor {

    static int divisor(int first, int second) {
        if (second == 0) {
            return first;
        }
        return divisor(second, first % second);
    }

    public static void main(String[] args) {
        int first = Inputs.nextInt();
        int second = Inputs.nextInt();
        if (first < -20 || first > 20 || second < 1 || second > 20) {
            return;
        }
        int divisor = divisor(first, second);
        assert first % divisor == 0 && second % divisor == 0;
        assert divisor > 0 : "the divisor of " + first + " and " + second;
    }
}
