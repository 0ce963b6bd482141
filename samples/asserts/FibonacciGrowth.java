// Idea: a fibonacci number is not far below its place
// Verdict: right, all seven allowed places keep the rule; paths: few
package samples.asserts;

public class FibonacciGrowth {

    static int fibonacci(int n) {
        if (n < 2) {
            return n;
        }
        return fibonacci(n - 1) + fibonacci(n - 2);
    }

    public static void main(String[] args) {
        int n = Inputs.nextInt();
        if (n < 0 || n > 6) {
            return;
        }
        int value = fibonacci(n);
        assert value >= n - 1;
        assert value <= 8;
        if (n % 3 == 0) {
            assert value % 2 == 0;
        }
    }
}
