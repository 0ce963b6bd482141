/** Threads that call one hot method, from code without probes. */
public class RecordedThreads {
    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[1]);
        Thread[] threads = new Thread[Integer.parseInt(arguments[0])];
        long[] sums = new long[threads.length];
        for (int i = 0; i < threads.length; i++) {
            int own = i;
            threads[i] = new Thread(() -> {
                long sum = 0;
                for (int round = 0; round < rounds; round++) {
                    sum += Recorded.count(round & 15);
                }
                sums[own] = sum;
            });
        }
        for (Thread thread : threads) {
            thread.start();
        }
        long sum = 0;
        for (int i = 0; i < threads.length; i++) {
            threads[i].join();
            sum += sums[i];
        }
        System.out.println(sum);
    }
}
