// Feature: two cycles that have one node in common
package samples.guards.shapes;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

public class FigureEight {
    private FigureEight left;
    private FigureEight right;

    public void setLeft(FigureEight node) {
        left = node;
    }

    public void setRight(FigureEight node) {
        right = node;
    }

    public boolean isCrossing() {
        Set<FigureEight> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        if (closesLeft(seen) && closesRight(seen)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean closesLeft(Set<FigureEight> seen) {
        FigureEight node = left;
        for (int i = 0; i < 2; i++) {
            if (node == null || node == this || node.right != null || !seen.add(node)) {
                return false;
            }
            node = node.left;
        }
        return node == this;
    }

    private boolean closesRight(Set<FigureEight> seen) {
        FigureEight node = right;
        for (int i = 0; i < 3; i++) {
            if (node == null || node == this || node.left != null || !seen.add(node)) {
                return false;
            }
            node = node.right;
        }
        return node == this;
    }
}
