// Feature: a cycle of exactly seven nodes
package samples.guards.shapes;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

public class RingOfSeven {
    private RingOfSeven next;

    public void link(RingOfSeven node) {
        next = node;
    }

    public boolean closes() {
        if (isRing(7)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isRing(int length) {
        Set<RingOfSeven> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        RingOfSeven node = this;
        for (int i = 0; i < length; i++) {
            if (node == null || !seen.add(node)) {
                return false;
            }
            node = node.next;
        }
        return node == this;
    }
}
