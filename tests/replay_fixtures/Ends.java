package replay;

/** One method for each way in which a recorded run or its replay can end. */
public class Ends {
    public static int loop(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            if (i % 3 == 0) {
                sum += i;
            }
        }
        return sum;
    }

    public static int divide(int a, int b) {
        return a / b;
    }

    public static int descend(int depth) {
        return depth <= 0 ? 0 : 1 + descend(depth - 1);
    }

    public static int leave(int status) {
        if (status > 3) {
            System.exit(status);
        }
        return status;
    }

    public static String describe(int number) {
        return number < 0 ? "negative" : String.valueOf(number);
    }

    /** An object that reflection returns: the replay takes it for the object that was passed. */
    public static int reflect(int value) throws ReflectiveOperationException {
        Held own = new Held(value);
        Held only = (Held) Held.class.getDeclaredField("ONLY").get(own);
        return greater(only, own) ? 1 : 0;
    }

    private static boolean greater(Held one, Held other) {
        return one.value > other.value;
    }

    static final class Held {
        static final Held ONLY = new Held(7);
        final int value;

        Held(int value) {
            this.value = value;
        }
    }
}
