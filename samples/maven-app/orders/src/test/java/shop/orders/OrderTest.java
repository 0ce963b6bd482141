package shop.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import shop.stock.Shelf;

class OrderTest {
    @Test
    void anEmptyShelfGivesNothing() {
        assertEquals(Order.State.NOTHING, new Order("lamp", 2).deliver(new Shelf()));
    }
}
