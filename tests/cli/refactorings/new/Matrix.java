package refactorings;

import java.util.Arrays;

public class Matrix {
    private final int columns;
    private final int[] values;
    private final int rows;

    public Matrix(int rows, int columns) {
        if (Math.min(rows, columns) < 1 || Math.max(rows, columns) > 50) {
            throw new IllegalArgumentException(rows + " x " + columns);
        }
        this.rows = rows;
        this.columns = columns;
        values = new int[rows * columns];
    }

    private int[][] cells() {
        int[][] cells = new int[rows][];
        for (int row = 0; row < rows; row++) {
            cells[row] = Arrays.copyOfRange(values, row * columns, (row + 1) * columns);
        }
        return cells;
    }

    public void set(int row, int column, int value) {
        if (row < 0 || row >= rows) {
            throw new ArrayIndexOutOfBoundsException("Index " + row + " out of bounds for length " + rows);
        }
        if (column < 0 || column >= columns) {
            throw new ArrayIndexOutOfBoundsException("Index " + column + " out of bounds for length " + columns);
        }
        values[row * columns + column] = value;
    }

    public int trace() {
        int trace = 0;
        int least = Math.min(rows, columns);
        for (int i = least - 1; i >= 0; i--) {
            trace += values[i * columns + i];
        }
        return trace;
    }

    public Matrix transposed() {
        Matrix result = new Matrix(columns, rows);
        for (int i = 0; i < values.length; i++) {
            result.values[i % columns * rows + i / columns] = values[i];
        }
        return result;
    }

    public boolean isZero() {
        return Arrays.stream(values).noneMatch(value -> value != 0);
    }

    public int largest() {
        int largest = Integer.MIN_VALUE;
        for (int value : values) {
            largest = Math.max(value, largest);
        }
        return largest;
    }

    @Override
    public String toString() {
        return Arrays.deepToString(cells());
    }
}
