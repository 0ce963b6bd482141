import java.util.function.IntSupplier;

/** The recorded class. */
class Drawer {
    int take(int count) {
        if (count < 0) {
            throw new IllegalArgumentException();
        }
        return count > 10 ? 10 : count;
    }
}

/** A generated test, by its name: its calls are no runs, however they end. */
class DrawerTracewrightTest {
    int takes() {
        int sum = 0;
        for (int count = 0; count < 20; count++) {
            sum += new Drawer().take(count);
        }
        return sum;
    }

    void throwsIt() {
        new Drawer().take(-1);
    }

    int behindALambda() throws InterruptedException {
        int[] taken = new int[1];
        IntSupplier take = () -> new Drawer().take(11);
        Thread thread = new Thread(() -> taken[0] = take.getAsInt());
        thread.start();
        thread.join();
        return taken[0] + take.getAsInt();
    }
}

class DrawerMain {
    public static void main(String[] arguments) throws InterruptedException {
        DrawerTracewrightTest test = new DrawerTracewrightTest();
        System.out.println(test.takes());
        try {
            test.throwsIt();
        } catch (IllegalArgumentException expected) {
            System.out.println("thrown");
        }
        System.out.println(test.behindALambda());
        // A call after a generated test is recorded: one object, one run.
        System.out.println(new Drawer().take(5));
    }
}
