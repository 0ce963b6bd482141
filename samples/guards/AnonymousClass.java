// Feature: an anonymous class with a field and a captured variable
package samples.guards;

public class AnonymousClass {
    interface Counter {
        int next();
    }

    public static boolean counts(int start, int step) {
        Counter counter = new Counter() {
            private int value = start;

            @Override
            public int next() {
                value += step;
                return value;
            }
        };
        if (counter.next() + counter.next() + counter.next() == 999 && step > 100) {
            return true; // goal: reached
        }
        return false;
    }
}
