package org.example.shop.order;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import lombok.RequiredArgsConstructor;
import org.springframework.stereotype.Component;

/** Which status may follow which. */
@Component
@RequiredArgsConstructor
public class OrderStateMachine {

    private static final Duration RETURN_PERIOD = Duration.ofDays(14);

    private final Clock clock;

    public Set<OrderStatus> successors(OrderStatus status) {
        return switch (status) {
            case NEW -> EnumSet.of(OrderStatus.PAID, OrderStatus.CANCELLED);
            case PAID -> EnumSet.of(OrderStatus.PACKED, OrderStatus.CANCELLED);
            case PACKED -> EnumSet.of(OrderStatus.SHIPPED);
            case SHIPPED -> EnumSet.of(OrderStatus.DELIVERED, OrderStatus.RETURNED);
            case DELIVERED -> EnumSet.of(OrderStatus.RETURNED);
            case CANCELLED, RETURNED -> EnumSet.noneOf(OrderStatus.class);
        };
    }

    public boolean canMove(Order order, OrderStatus next) {
        if (!successors(order.getStatus()).contains(next)) {
            return false;
        }
        if (next == OrderStatus.PAID) {
            return order.getPaymentReference() != null;
        }
        if (order.getStatus() == OrderStatus.DELIVERED && next == OrderStatus.RETURNED) {
            Instant delivered = order.getChangedAt();
            return delivered == null || !delivered.plus(RETURN_PERIOD).isBefore(clock.instant());
        }
        return next != OrderStatus.PACKED || !order.getLines().isEmpty();
    }

    public void move(Order order, OrderStatus next) {
        if (!canMove(order, next)) {
            throw new IllegalStateException(
                    "order " + order.getNumber() + " cannot go from " + order.getStatus() + " to " + next);
        }
        order.setStatus(next);
        order.setChangedAt(clock.instant());
    }
}
