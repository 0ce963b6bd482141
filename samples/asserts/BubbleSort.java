// Idea: an array of up to 40 values is sorted by swapping neighbours
// Verdict: right, each round brings one more value to its place; paths: many
package samples.asserts;

public class BubbleSort {

    static void sort(int[] values) {
        for (int end = values.length - 1; end > 0; end--) {
            for (int i = 0; i < end; i++) {
                if (values[i] > values[i + 1]) {
                    int kept = values[i];
                    values[i] = values[i + 1];
                    values[i + 1] = kept;
                }
            }
        }
    }

    public static void main(String[] args) {
        int length = Inputs.nextInt();
        if (length < 0 || length > 40) {
            return;
        }
        int[] values = new int[length];
        for (int i = 0; i < length; i++) {
            values[i] = Inputs.nextInt();
        }
        sort(values);
        for (int i = 1; i < length; i++) {
            assert values[i - 1] <= values[i];
        }
    }
}
