// Feature: two lists that end in the same three cells
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class SharedTail {
    public static class Cell {
        private final Cell next;

        public Cell(Cell next) {
            this.next = next;
        }

        private List<Cell> cells() {
            List<Cell> cells = new ArrayList<>();
            for (Cell cell = this; cell != null; cell = cell.next) {
                cells.add(cell);
            }
            return cells;
        }
    }

    public static boolean isFork(Cell shorter, Cell longer) {
        if (shorter == null || longer == null) {
            return false;
        }
        if (meet(shorter.cells(), longer.cells())) {
            return true; // goal: reached
        }
        return false;
    }

    private static boolean meet(List<Cell> shorter, List<Cell> longer) {
        return shorter.size() == 8 && longer.size() == 9 && shorter.get(5) == longer.get(6)
                && shorter.get(4) != longer.get(5);
    }
}
