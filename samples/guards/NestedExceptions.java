// Feature: an exception of one's own that is wrapped and thrown again
package samples.guards;

public class NestedExceptions {
    static class Failure extends Exception {
        private static final long serialVersionUID = 1;
        final int code;

        Failure(int code, Throwable cause) {
            super("failure " + code, cause);
            this.code = code;
        }
    }

    private static int inner(int x) throws Failure {
        if (x % 1_009 == 400) {
            throw new Failure(x / 1_009, null);
        }
        return x;
    }

    private static int middle(int x) throws Failure {
        try {
            return inner(x);
        } catch (Failure failure) {
            throw new Failure(failure.code + 1, failure);
        }
    }

    public static int run(int x) {
        try {
            return middle(x);
        } catch (Failure failure) {
            if (failure.code == 78 && failure.getCause() instanceof Failure) {
                return -78; // goal: reached
            }
            return failure.code;
        }
    }
}
