// Idea: two sequences that call each other differ at one place
// Verdict: wrong, 12
package samples.asserts;

public class TwinSequences {

    static int left(int n) {
        return n == 0 ? 1 : n - right(left(n - 1));
    }

    static int right(int n) {
        return n == 0 ? 0 : n - left(right(n - 1));
    }

    public static void main(String[] args) {
        int n = Inputs.nextInt();
        if (n < 8 || n > 14) {
            return;
        }
        int left = left(n);
        int right = right(n);
        assert left <= n && right <= n;
        assert left == right;
    }
}
