package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class VisitOrderTest {

    @Test
    void everyPlaceIsVisited() {
        VisitOrder order = new VisitOrder();
        assertEquals("nowhere", order.first());
        order.add("a");
        order.add("b");
        assertEquals(Set.of("a", "b"), new TreeSet<>(order.route()));
        assertThrows(IllegalArgumentException.class, () -> order.add(""));
    }
}
