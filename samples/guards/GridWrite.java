// Feature: a board of two dimensions that is written and read
package samples.guards;

public class GridWrite {
    public static boolean wins(int a, int b, int c) {
        int[][] board = new int[3][3];
        board[1][1] = 2;
        for (int move : new int[] {a, b, c}) {
            if (move < 0 || move > 8 || board[move / 3][move % 3] != 0) {
                return false;
            }
            board[move / 3][move % 3] = 1;
        }
        if (board[0][2] + board[1][2] + board[2][2] == 3 && a > b && b > c) {
            return true; // goal: reached
        }
        return false;
    }
}
