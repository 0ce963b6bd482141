package org.example.world.groovy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DiscountTest {

    @AfterEach
    void restore() {
        Discount.setRate(10);
    }

    @Test
    void theRateIsTenAtFirst() {
        assertEquals(10, Discount.getRate());
        assertEquals(900, Discount.reduce(1000));
        Discount.setRate(50);
        assertEquals(500, Discount.reduce(1000));
        assertThrows(IllegalArgumentException.class, () -> Discount.setRate(101));
    }
}
