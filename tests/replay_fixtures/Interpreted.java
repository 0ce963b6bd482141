package replay;

import library.Ring;

/** Calls of code that is not recorded but whose class files are known. */
public class Interpreted {
    public static int growing(int a, int b, int c) {
        Ring ring = new Ring();
        ring.add(a);
        ring.add(b);
        ring.add(c);
        return ring.contains(7) ? ring.size() : ring.get(2);
    }

    public static int throwing(int index) {
        Ring ring = new Ring();
        ring.add(5);
        try {
            return ring.get(index);
        } catch (IndexOutOfBoundsException outside) {
            return index < 0 ? -1 : -2;
        }
    }

    public static int iterating(int a, int b) {
        Ring ring = new Ring();
        ring.add(a);
        ring.add(b);
        int sum = 0;
        for (int number : ring) {
            if (number > 3) {
                sum += number;
            }
        }
        return sum;
    }

    public static int sorting(int a, int b, int c) {
        Ring ring = new Ring();
        ring.add(a);
        ring.add(b);
        ring.add(c);
        ring.sort((x, y) -> x < y ? 1 : x > y ? -1 : 0);
        return ring.get(0) == c ? 1 : 0;
    }
}
