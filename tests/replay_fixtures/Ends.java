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
}
