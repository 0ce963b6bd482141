package hostile;

/** Its initialiser throws. */
public class FailsToInitialise {
    static final int[] TABLE = new int[1];

    static {
        TABLE[1] = 2;
    }

    public static int entry(int index) {
        return TABLE[index];
    }

    /** Can be used all the same. */
    public static class Harmless {
        public int twice(int number) {
            return 2 * number;
        }
    }
}
