package org.example.world.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class DiscountsTest {

    @Test
    void theDefaultLimitIsHalf() {
        assertEquals(90, new Discounts().reduce(101, 10, true));
        assertEquals(91, new Discounts().reduce(101, 10, false));
        assertThrows(IllegalArgumentException.class, () -> new Discounts().reduce(101, 51, true));
        assertEquals("minus 5 %", new Discounts().name(5));
        assertEquals("full price", new Discounts(10).name(0));
    }
}
