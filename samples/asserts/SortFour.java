// Idea: a sorting step for the two middle values is missing
// Verdict: wrong, 1, 4, 2, 3
package samples.asserts;

public class SortFour {

    static void order(int[] values, int i, int j) {
        if (values[i] > values[j]) {
            int kept = values[i];
            values[i] = values[j];
            values[j] = kept;
        }
    }

    static void sort(int[] values) {
        order(values, 0, 1);
        order(values, 2, 3);
        order(values, 0, 2);
        order(values, 1, 3);
    }

    public static void main(String[] args) {
        int[] values = new int[4];
        for (int i = 0; i < values.length; i++) {
            values[i] = Inputs.nextInt();
            if (values[i] < 0 || values[i] > 9) {
                return;
            }
        }
        sort(values);
        assert values[0] <= values[1];
        assert values[2] <= values[3];
        assert values[1] <= values[2];
    }
}
