// Feature: a matrix whose rows are the same arrays in mirrored order
package samples.guards.shapes;

public class SharedRows {
    private final int[][] rows = new int[6][];

    public void setRow(int at, int[] row) {
        rows[at] = row;
    }

    public boolean isMirrored() {
        if (areSame(0, 5) && areSame(1, 4) && areSame(2, 3) && rows[0] != rows[1] && rows[1] != rows[2]
                && rows[2] != rows[5]) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean areSame(int one, int other) {
        return rows[one] != null && rows[one] == rows[other];
    }
}
