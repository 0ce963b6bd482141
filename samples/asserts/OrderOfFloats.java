// Idea: exactly one of less, equal and greater holds
// Verdict: right, values that are not numbers are left out; paths: few
package samples.asserts;

public class OrderOfFloats {

    public static void main(String[] args) {
        float first = Inputs.nextFloat();
        float second = Inputs.nextFloat();
        if (Float.isNaN(first) || Float.isNaN(second)) {
            assert !(first < second) && !(first == second) && !(first > second);
            return;
        }
        int holds = 0;
        if (first < second) {
            holds++;
        }
        if (first == second) {
            holds++;
        }
        if (first > second) {
            holds++;
        }
        assert holds == 1;
    }
}
