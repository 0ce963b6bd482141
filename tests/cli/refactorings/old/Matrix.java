package refactorings;

import java.util.Arrays;

public class Matrix {
    private final int[][] cells;

    public Matrix(int rows, int columns) {
        if (rows <= 0 || columns <= 0 || rows > 50 || columns > 50) {
            throw new IllegalArgumentException(rows + " x " + columns);
        }
        cells = new int[rows][columns];
    }

    public void set(int row, int column, int value) {
        cells[row][column] = value;
    }

    public int trace() {
        int trace = 0;
        for (int i = 0; i < cells.length && i < cells[0].length; i++) {
            trace += cells[i][i];
        }
        return trace;
    }

    public Matrix transposed() {
        Matrix result = new Matrix(cells[0].length, cells.length);
        for (int row = 0; row < cells.length; row++) {
            for (int column = 0; column < cells[0].length; column++) {
                result.cells[column][row] = cells[row][column];
            }
        }
        return result;
    }

    public boolean isZero() {
        for (int[] row : cells) {
            for (int cell : row) {
                if (cell != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    public int largest() {
        int largest = cells[0][0];
        for (int[] row : cells) {
            for (int cell : row) {
                if (cell > largest) {
                    largest = cell;
                }
            }
        }
        return largest;
    }

    @Override
    public String toString() {
        return Arrays.deepToString(cells);
    }
}
