// Feature: a doubly linked list in which one link back is wrong
package samples.guards.shapes;

public class BrokenBackLink {
    private BrokenBackLink next;
    private BrokenBackLink previous;

    public void append(BrokenBackLink node) {
        next = node;
        node.previous = this;
    }

    public void setPrevious(BrokenBackLink node) {
        previous = node;
    }

    private BrokenBackLink after(int steps) {
        BrokenBackLink node = this;
        for (int i = 0; i < steps && node != null; i++) {
            node = node.next;
        }
        return node;
    }

    private boolean isEnd(int steps) {
        return after(steps) != null && after(steps).next == null;
    }

    public boolean isBroken() {
        if (previous == null && isEnd(5) && hasOneWrongLink()) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean hasOneWrongLink() {
        return after(1).previous == this && after(2).previous == after(5) && after(3).previous == after(2)
                && after(4).previous == after(3) && after(5).previous == after(4);
    }
}
