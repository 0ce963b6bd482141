package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PriceFutureTest {

    @Test
    void pricesAreComputed() {
        PriceFuture prices = new PriceFuture();
        assertEquals(90, prices.quote(10).join());
        assertEquals("dear", prices.label(20).join());
        assertEquals("wrong", prices.label(-1).join());
        assertEquals(10, prices.best(1, 20));
    }
}
