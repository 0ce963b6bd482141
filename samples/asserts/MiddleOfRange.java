// Idea: the sum of two large bounds overflows before it is halved
// Verdict: wrong, 2147483640, 2147483646
package samples.asserts;

public class MiddleOfRange {

    static int middle(int low, int high) {
        return (low + high) / 2;
    }

    public static void main(String[] args) {
        int low = Inputs.nextInt();
        int high = Inputs.nextInt();
        if (low < 0 || high < low || high - low > 16) {
            return;
        }
        int middle = middle(low, high);
        assert low <= middle;
        assert middle <= high;
    }
}
