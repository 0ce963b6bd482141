// Feature: the hashCode of a record
package samples.guards;

public class RecordHash {
    record Key(int row, int column) { }

    public static boolean collides(int row, int column) {
        if (row != 0 && row != column && new Key(row, column).hashCode() == new Key(3, 1_000).hashCode() && row != 3) {
            return true; // goal: reached
        }
        return false;
    }
}
