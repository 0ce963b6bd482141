import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The recorded class: several threads call its methods and constructors, which return and throw.
 */
public class Recorded {
    final int value;

    Recorded(int value) {
        this(value, check(value));
    }

    private Recorded(int value, boolean fine) {
        this.value = value;
        if (!fine) {
            throw new IllegalStateException("not fine");
        }
    }

    static boolean check(int value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative");
        }
        return value != 7;
    }

    static int count(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i % 3 == 0 ? i : 1;
        }
        return sum;
    }

    synchronized int guarded(int n) {
        synchronized (Recorded.class) {
            if (n == 4) {
                throw new IndexOutOfBoundsException("4");
            }
            return n + value;
        }
    }

    static int deep(int n) {
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    static int naps(int n) throws InterruptedException {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Thread.sleep(1);
            sum += deep(i);
        }
        return sum;
    }

    static int endless(int n) {
        return 1 + endless(n + 1);
    }
}

/** Calls it from many virtual threads, which change their carriers where they sleep. */
class RecordedVirtual {
    public static void main(String[] arguments) throws Exception {
        ExecutorService each = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 1; i <= 60; i++) {
            int n = i;
            all.add(each.submit(() -> Recorded.naps(n)));
        }
        int sum = 0;
        for (Future<Integer> one : all) {
            sum += one.get();
        }
        each.shutdown();
        System.out.println(sum);
    }
}

/** Calls the recorded class from code without probes, and prints the results. */
class RecordedMain {
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int n = i;
            all.add(pool.submit(() -> Recorded.count(n)));
        }
        for (Future<Integer> one : all) {
            System.out.println(one.get());
        }
        pool.shutdown();
        for (int value : new int[] {5, -1, 7, 5, -1, 6}) {
            try {
                System.out.println(Recorded.class.getDeclaredConstructor(int.class).newInstance(value).value);
            } catch (InvocationTargetException thrown) {
                System.out.println(thrown.getCause() + " " + thrown.getCause().getStackTrace()[0]);
            }
        }
        Recorded recorded = new Recorded(1);
        for (int n = 3; n < 6; n++) {
            try {
                System.out.println(recorded.guarded(n));
            } catch (IndexOutOfBoundsException thrown) {
                System.out.println(thrown + " " + thrown.getStackTrace().length + " " + Thread.holdsLock(recorded));
            }
        }
        try {
            Recorded.endless(0);
        } catch (StackOverflowError thrown) {
            System.out.println("overflow");
        }
        System.out.println(Recorded.deep(100));
        if (arguments.length > 0 && arguments[0].equals("stay")) {
            System.out.println("ready");
            for (int n = 0; ; n++) {
                Recorded.count(n);
                if (n % 20 == 0) {
                    System.out.println("at " + n);
                }
                Thread.sleep(1);
            }
        }
    }
}
