package asserts;

public class Matrix {
    private final int rows, columns;
    public Matrix(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
    }
    public int index(int row, int column) {
        assert 0 <= row && row < rows;
        assert 0 <= column && column < columns;
        return row * columns + column;
    }
}
