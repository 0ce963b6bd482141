// Feature: String.split
package samples.guards;

public class RegexSplit {
    public static boolean isRow(String row) {
        String[] cells = row.split(",");
        if (cells.length == 3 && cells[0].isEmpty() && cells[1].length() == 2 && cells[2].equals("k")) {
            return true; // goal: reached
        }
        return false;
    }
}
