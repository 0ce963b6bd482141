// Feature: two dimensions with indices that inputs decide
package samples.guards;

public class Grid {
    private static final int[][] HEIGHTS = {
        {3, 8, 1, 9, 4}, {7, 2, 8, 5, 6}, {9, 4, 6, 1, 2}, {1, 5, 3, 7, 8}, {6, 1, 9, 2, 5},
    };

    public static boolean isSaddle(int row, int column) {
        if (row < 1 || column < 1 || row > 3 || column > 3) {
            return false;
        }
        int here = HEIGHTS[row][column];
        int across = HEIGHTS[row][column - 1] + HEIGHTS[row][column + 1];
        int along = HEIGHTS[row - 1][column] + HEIGHTS[row + 1][column];
        if (here == 7 && across == 11 && along == 3) {
            return true; // goal: reached
        }
        return false;
    }
}
