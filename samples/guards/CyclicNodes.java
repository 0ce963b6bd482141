// Feature: three objects in a circle
package samples.guards;

public class CyclicNodes {
    public CyclicNodes next;
    private final int weight;

    public CyclicNodes(int weight) {
        this.weight = weight;
    }

    public void link(CyclicNodes other) {
        next = other;
    }

    public boolean isTriangle() {
        if (next != null && next.next != null && next != this && next.next != this && next.next.next == this) {
            if (weight + next.weight + next.next.weight == 180 && weight == 91) {
                return true; // goal: reached
            }
        }
        return false;
    }
}
