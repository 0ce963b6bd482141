// Feature: monitors, around a method and around a block
package samples.guards;

public class SynchronizedCounter {
    private int count;

    private synchronized void add(int amount) {
        count += amount;
    }

    public boolean reaches(int a, int b) {
        add(a * 2);
        synchronized (this) {
            count -= b;
        }
        add(b * 4);
        if (count == 1_348 && a == b * 5 + 11) {
            return true; // goal: reached
        }
        return false;
    }
}
