// Idea: the middle is the low bound plus half of the difference
// Verdict: right, the difference of two bounds that are not negative cannot overflow; paths: few
package samples.asserts;

public class SafeMiddle {

    static int middle(int low, int high) {
        return low + (high - low) / 2;
    }

    public static void main(String[] args) {
        int low = Inputs.nextInt();
        int high = Inputs.nextInt();
        if (low < 0 || high < low) {
            return;
        }
        int middle = middle(low, high);
        assert low <= middle && middle <= high;
        if (low < high) {
            assert middle < high : "the upper half is never empty";
        }
    }
}
