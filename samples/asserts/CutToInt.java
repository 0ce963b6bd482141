// Idea: a double is cut to an int
// Verdict: right, a cast moves the value towards zero by less than one; paths: few
package samples.asserts;

public class CutToInt {

    public static void main(String[] args) {
        double value = Inputs.nextDouble();
        int cut = (int) value;
        if (value != value) {
            assert cut == 0;
            return;
        }
        if (value >= -1000.0 && value <= 1000.0) {
            double lost = value - cut;
            assert lost > -1.0 && lost < 1.0;
            assert cut >= -1000 && cut <= 1000;
        } else if (value > 3.0e9) {
            assert cut == Integer.MAX_VALUE;
        } else if (value < -3.0e9) {
            assert cut == Integer.MIN_VALUE;
        }
    }
}
