// Feature: records taken apart by nested patterns
package samples.guards;

public class RecordPatterns {
    record Point(int x, int y) { }

    record Line(Point from, Point to) { }

    public static boolean isDiagonal(int a, int b, int c) {
        Object line = a > b ? new Line(new Point(a, b), new Point(b, c)) : new Point(a, c);
        if (line instanceof Line(Point(int x1, int y1), Point(int x2, int y2)) && x1 - x2 == 250 && y1 + y2 == 1_001) {
            return true; // goal: reached
        }
        return false;
    }
}
