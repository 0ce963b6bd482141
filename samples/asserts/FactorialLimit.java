// Idea: the factorial of 13 does not fit into an int
// Verdict: wrong, 13
package samples.asserts;

public class FactorialLimit {

    static int factorial(int n) {
        if (n <= 1) {
            return 1;
        }
        return n * factorial(n - 1);
    }

    public static void main(String[] args) {
        int n = Inputs.nextInt();
        if (n < 1 || n > 13) {
            return;
        }
        int result = factorial(n);
        assert result > 0;
        assert result / n == factorial(n - 1);
    }
}
