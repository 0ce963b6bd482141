// Feature: the equals of a record
package samples.guards;

public class RecordEquals {
    record Point(int x, long y) { }

    public static boolean meets(int x, long y, int step) {
        Point here = new Point(x + step, y - step);
        Point there = new Point(x * 2, 4_444L);
        if (step > 99 && here.equals(there)) {
            return true; // goal: reached
        }
        return false;
    }
}
