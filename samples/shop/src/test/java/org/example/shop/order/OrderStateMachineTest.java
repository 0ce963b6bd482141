package org.example.shop.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class OrderStateMachineTest {

    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    private final OrderStateMachine states = new OrderStateMachine(Clock.fixed(NOW, ZoneOffset.UTC));
    private final Order order = new Order();

    @Test
    void needsAPaymentReference() {
        assertFalse(states.canMove(order, OrderStatus.PAID));
        order.setPaymentReference("r-1");
        states.move(order, OrderStatus.PAID);
        assertEquals(NOW, order.getChangedAt());
    }

    @Test
    void takesReturnsForTwoWeeks() {
        order.setStatus(OrderStatus.DELIVERED);
        order.setChangedAt(NOW.minusSeconds(14 * 86_400));
        assertTrue(states.canMove(order, OrderStatus.RETURNED));
        order.setChangedAt(NOW.minusSeconds(14 * 86_400 + 1));
        assertThrows(IllegalStateException.class, () -> states.move(order, OrderStatus.RETURNED));
    }
}
