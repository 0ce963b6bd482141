package hostile;

/** Leaves a thread behind that nothing ends. */
public class StartsThread {
    private volatile long count;

    public long start() {
        Thread thread = new Thread(() -> {
            while (true) {
                try {
                    count++;
                } catch (Throwable ignored) {
                    count--;
                }
            }
        });
        thread.start();
        return count;
    }

    public boolean isEven(int number) {
        return number % 2 == 0;
    }
}
