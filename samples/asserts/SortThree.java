// Idea: three values are sorted by moving each to its place
// Verdict: right, the sort handles every order of three values; paths: few
package samples.asserts;

public class SortThree {

    static void sort(int[] values) {
        for (int i = 1; i < values.length; i++) {
            int moved = values[i];
            int j = i - 1;
            while (j >= 0 && values[j] > moved) {
                values[j + 1] = values[j];
                j--;
            }
            values[j + 1] = moved;
        }
    }

    public static void main(String[] args) {
        int[] values = {Inputs.nextInt(), Inputs.nextInt(), Inputs.nextInt()};
        long sum = (long) values[0] + values[1] + values[2];
        sort(values);
        assert values[0] <= values[1] && values[1] <= values[2];
        assert (long) values[0] + values[1] + values[2] == sum;
    }
}
