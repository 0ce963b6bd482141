// Feature: a child that two parents list, one of them below the other
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class StaleParent {
    private final List<StaleParent> children = new ArrayList<>();
    private StaleParent parent;

    public void add(StaleParent child) {
        for (StaleParent node = this; node != null; node = node.parent) {
            if (node == child) {
                throw new IllegalArgumentException("a node below itself");
            }
        }
        child.parent = this;
        children.add(child);
    }

    public boolean isListedTwice(StaleParent old) {
        if (isMoved(old) && isOnlyBelow(old)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isMoved(StaleParent old) {
        return old != null && parent != null && parent != old && parent.parent != null
                && old.children.size() > 1 && old.children.get(0) == this
                && old.children.get(1) == parent.parent.parent;
    }

    private boolean isOnlyBelow(StaleParent old) {
        return parent.parent.parent.parent == old && old.parent == null
                && parent.children.equals(List.of(this)) && children.size() == 1
                && children.get(0).parent != this;
    }
}
