// Feature: two loops, one bound by the other
package samples.guards;

public class NestedLoops {
    public static boolean tiles(int rows, int columns) {
        int odd = 0;
        for (int row = 0; row < rows && row < 20; row++) {
            for (int column = row; column < columns && column < 20; column++) {
                odd += (row ^ column) & 1;
            }
        }
        if (odd == 30 && rows > 4 && columns > rows) {
            return true; // goal: reached
        }
        return false;
    }
}
