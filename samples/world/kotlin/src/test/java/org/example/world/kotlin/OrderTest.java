package org.example.world.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class OrderTest {

    @Test
    void anOrderIsPaidThenSent() {
        Order order = new Order(List.of(1, 2));
        assertFalse(order.pay(2));
        assertThrows(IllegalStateException.class, () -> order.send("p"));
        assertTrue(order.pay(3));
        order.send(null);
        assertEquals("sent by hand", order.describe());
    }
}
