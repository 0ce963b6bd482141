/** Loads that repeat others; the number at the end of each name says how many have events. */
public class Repeated {
    private int value;
    private int other;
    private volatile int shared;
    private int[] cells = new int[4];

    int field1() {
        return value + value;
    }

    int elsewhere2(Repeated that) {
        return value + that.value + value;
    }

    int afterStore2() {
        int before = value;
        value = 3;
        return before + value;
    }

    int afterStoreOfAnother1(Repeated that) {
        int before = value;
        that.other = 3;
        return before + value;
    }

    /** The objects may be one. */
    int afterStoreThroughAnother2(Repeated that) {
        int before = value;
        that.value = 3;
        return before + value;
    }

    int afterCall2() {
        int before = value;
        hashCode();
        return before + value;
    }

    int volatiles2() {
        return shared + shared;
    }

    int otherLocal2(Repeated that) {
        int before = that.value;
        that = this;
        return before + that.value;
    }

    static int cell1(int[] a, int i) {
        return a[i] + a[i];
    }

    static int cellAtOther2(int[] a, int i) {
        int before = a[i];
        i++;
        return before + a[i];
    }

    static int cellAfterStore2(int[] a, int[] b, int i) {
        int before = a[i];
        b[i] = 2;
        return before + a[i];
    }

    static void shift1(int[] a, int value, int j) {
        while (j >= 0 && a[j] > value) {
            a[j + 1] = a[j];
            j--;
        }
    }

    /** The field and the cell. */
    int cellOfField2(int i) {
        return cells[i] + cells[i];
    }

    /** Known on one way only. */
    int oneWay2(boolean way) {
        int sum = 0;
        if (way) {
            sum += value;
        }
        return sum + value;
    }

    int bothWays2(boolean way) {
        int sum = 1;
        if (way) {
            sum += value;
        } else {
            sum -= value;
        }
        return sum + value;
    }

    /** The first of a loop is not known when the loop is entered. */
    int loop1(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += value + value;
        }
        return sum;
    }

    int loopAfter1(int n) {
        int sum = value;
        for (int i = 0; i < n; i++) {
            sum += value;
        }
        return sum;
    }

    int handler2(int[] a) {
        int sum = 0;
        try {
            sum += value;
            sum /= a.length;
        } catch (ArithmeticException e) {
            sum += value;
        }
        return sum;
    }

    synchronized int monitors2(Object lock) {
        int sum = value;
        synchronized (lock) {
            sum += value;
        }
        return sum;
    }
}
