// Feature: an array of a size that inputs decide
package samples.guards;

public class NegativeSize {
    public static int reserve(int rows, int columns) {
        if (rows < 10 || columns < 10 || rows > 70_000 || columns > 70_000) {
            return 0;
        }
        try {
            if (rows * columns > 1000) {
                return 1;
            }
            return new int[rows * columns].length;
        } catch (NegativeArraySizeException wrapped) {
            return -1; // goal: reached
        }
    }
}
