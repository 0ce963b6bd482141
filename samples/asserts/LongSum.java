// Idea: two int values are added as long values
// Verdict: right, a long has room for the sum of any two int values; paths: few
package samples.asserts;

public class LongSum {

    static long add(int first, int second) {
        return (long) first + second;
    }

    public static void main(String[] args) {
        int first = Inputs.nextInt();
        int second = Inputs.nextInt();
        long sum = add(first, second);
        assert sum - first == second;
        if (first > 0 && second > 0) {
            assert sum > first && sum > second;
        }
        if (first < 0 && second < 0) {
            assert sum < first && sum < second;
        }
    }
}
