// Idea: the lowest set bit is cut out with a bit trick
// Verdict: right, the trick leaves one bit of any number except zero; paths: few
package samples.asserts;

public class LowestBit {

    public static void main(String[] args) {
        int value = Inputs.nextInt();
        int lowest = value & -value;
        if (value == 0) {
            assert lowest == 0;
            return;
        }
        assert lowest != 0;
        assert (lowest & (lowest - 1)) == 0 : "more than one bit is set";
        assert (value & lowest) == lowest;
        assert (value & (lowest - 1)) == 0 : "a lower bit is set";
        short half = Inputs.nextShort();
        int cleared = half & (half - 1);
        assert (cleared & half) == cleared;
    }
}
