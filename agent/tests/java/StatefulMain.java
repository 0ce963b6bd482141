import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** Runs {@link Stateful} in the search mode and prints what the sink says of its state. */
public class StatefulMain {
    private static Thread left;
    /** What ended that thread. */
    private static volatile String leftEnd;

    public static void main(String[] arguments) throws Exception {
        run("readTable", () -> Stateful.readTable(1));
        run("writeTable", () -> {
            Stateful.readTable(1);
            Stateful.writeTable();
            return Stateful.TABLE[0];
        });
        run("after", () -> Stateful.readTable(0));
        run("count", () -> {
            Stateful.count();
            return Stateful.counter;
        });
        run("after", () -> Stateful.counter);
        run("add", () -> {
            Stateful.add();
            return Stateful.readList();
        });
        run("after", () -> Stateful.readList());
        run("readFixed", () -> Stateful.readFixed());
        run("second", () -> {
            Stateful.second();
            return Stateful.Second.value + Stateful.Above.inherited;
        });
        run("below", () -> {
            Stateful.below();
            return Stateful.Above.inherited;
        });
        run("after", () -> Stateful.Second.value + Stateful.Above.inherited);
        Object list = Stateful.MAP.get("list");
        run("deep", () -> Stateful.deep());
        run("after", () -> Stateful.deeply() + " " + (list == Stateful.MAP.get("list")));
        run("quiet", () -> Stateful.quiet());
        run("after", () -> Stateful.level());
        // What an initialiser does to another class stays: it will not run again.
        run("late", () -> Stateful.late());
        run("after", () -> Stateful.late());
        run("later", () -> Stateful.later());
        run("after", () -> Stateful.later());
        run("endless", () -> {
            Stateful.endless();
            return null;
        });
        run("recursive", () -> {
            Stateful.recursive();
            return null;
        });
        run("stubborn", () -> {
            Stateful.stubborn();
            return null;
        });
        run("left", () -> {
            CountDownLatch begun = new CountDownLatch(1);
            left = Stateful.left(() -> {
                Thread.currentThread().setUncaughtExceptionHandler((t, e) -> leftEnd = e.getClass().getSimpleName());
                begun.countDown();
            });
            begun.await();
            return null;
        });
        System.out.println("constant " + TracewrightStatics.reinitialise(Stateful.Kind.class) + " " + TracewrightStatics.reinitialise(Runnable.class));

        // A thread that meets no probe is stopped.
        CountDownLatch begun = new CountDownLatch(1);
        Thread stubborn = new Thread(() -> {
            try {
                begun.countDown();
                long n = 0;
                while (n >= 0) {
                    n = (n + 1) & Long.MAX_VALUE;
                }
            } catch (TracewrightBudget stopped) {
                System.out.println("stopped");
            }
        });
        stubborn.start();
        begun.await();
        TracewrightSink.stop(stubborn);
        stubborn.join(60_000);
        System.out.println("alive " + stubborn.isAlive());
    }

    private static void run(String name, Callable<Object> body) {
        Object result;
        TracewrightSearch.begin(100_000);
        try {
            result = body.call();
        } catch (Throwable thrown) {
            result = thrown.getClass().getSimpleName();
        }
        TracewrightSearch.end();
        if (name.equals("left")) {
            System.out.println("run ended");
            while (left.isAlive()) {
                Thread.yield();
            }
            System.out.println("left thread ended: " + leftEnd);
        }
        Class<?>[] dirty = TracewrightStatics.dirty();
        System.out.print(name + " = " + result + " dirty " + Arrays.toString(dirty));
        for (Class<?> type : dirty) {
            System.out.print(" " + TracewrightStatics.reinitialise(type));
        }
        System.out.println();
    }
}
