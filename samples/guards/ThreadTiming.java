// Feature: who of two threads is first
package samples.guards;

import java.util.concurrent.atomic.AtomicInteger;

public class ThreadTiming {
    public static boolean races(int rounds) throws InterruptedException {
        AtomicInteger first = new AtomicInteger();
        Thread other = new Thread(() -> first.compareAndSet(0, 2));
        other.start();
        for (int i = 0; i < rounds % 1_000; i++) {
            Thread.onSpinWait();
        }
        first.compareAndSet(0, 1);
        other.join();
        if (first.get() == 2 && rounds % 1_000 == 1) {
            return true; // goal: by chance, it depends on how threads are scheduled
        }
        return false;
    }
}
