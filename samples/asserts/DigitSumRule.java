// Idea: a number and its digit sum leave the same rest after division by nine
// Verdict: right, each power of ten leaves the rest one; paths: many
package samples.asserts;

public class DigitSumRule {

    static int digitSum(long number) {
        if (number == 0) {
            return 0;
        }
        return (int) (number % 10) + digitSum(number / 10);
    }

    public static void main(String[] args) {
        long number = Inputs.nextLong();
        if (number < 0) {
            return;
        }
        int sum = digitSum(number);
        assert sum >= 0 && sum <= 9 * 19;
        assert sum % 9 == number % 9;
    }
}
