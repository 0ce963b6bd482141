// Feature: two tails that enter one cycle at opposite nodes
package samples.guards.shapes;

public class Lasso {
    public static class Cell {
        private Cell next;

        public Cell(Cell next) {
            this.next = next;
        }

        public void setNext(Cell next) {
            this.next = next;
        }

        private Cell after(int steps) {
            Cell cell = this;
            for (int i = 0; i < steps && cell != null; i++) {
                cell = cell.next;
            }
            return cell;
        }

        private boolean isInLoop(int length) {
            for (int i = 1; i < length; i++) {
                if (after(i) == this) {
                    return false;
                }
            }
            return after(length) == this;
        }
    }

    public static boolean isDoubleLasso(Cell one, Cell other) {
        if (hasTail(one) && hasTail(other) && one.after(3) == other.after(6)) {
            return true; // goal: reached
        }
        return false;
    }

    private static boolean hasTail(Cell cell) {
        Cell entry = cell == null ? null : cell.after(3);
        return entry != null && entry.isInLoop(6) && !cell.after(2).isInLoop(6);
    }
}
