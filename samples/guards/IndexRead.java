// Feature: reading at two indices that inputs decide
package samples.guards;

public class IndexRead {
    private static final int[] PRIMES = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};

    public static boolean product(int i, int j) {
        if (i < 0 || j <= i || j >= PRIMES.length) {
            return false;
        }
        if (PRIMES[i] * PRIMES[j] == 3_953) {
            return true; // goal: reached
        }
        return false;
    }
}
