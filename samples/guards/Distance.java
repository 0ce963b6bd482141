// Feature: a distance between two points of ints
package samples.guards;

public class Distance {
    public static boolean isThirteen(int dx, int dy) {
        if (dx > dy && dy > 0 && Math.sqrt((double) dx * dx + (double) dy * dy) == 65.0) {
            return true; // goal: reached
        }
        return false;
    }
}
