package org.example.world.groovy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class BasketTest {

    @Test
    void itemsAreCounted() {
        Basket basket = new Basket();
        assertEquals("empty", basket.describe());
        assertEquals(1, basket.add("apple"));
        assertEquals("one apple", basket.describe());
        assertThrows(IllegalArgumentException.class, () -> basket.add(""));
    }
}
