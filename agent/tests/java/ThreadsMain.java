/**
 * Threads that run the same computation. The last one starts when the others have ended. They record
 * without a runner.
 */
public class ThreadsMain {
    public static void main(String[] arguments) throws InterruptedException {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int n = 8 + i;
            threads[i] = new Thread(() -> {
                for (int round = 0; round < 2000; round++) {
                    Kernel.fibonacci(n);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Thread last = new Thread(() -> Kernel.fibonacci(11));
        last.start();
        last.join();
    }
}
