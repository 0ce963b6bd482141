package org.example.world.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TaxTest {

    @AfterEach
    void restore() {
        Tax.INSTANCE.setRate(Tax.INITIAL_RATE);
    }

    @Test
    void theRateIsInitialAtFirst() {
        assertEquals(19, Tax.INSTANCE.getRate());
        assertEquals(19, Tax.INSTANCE.of(100));
        Tax.INSTANCE.setRate(7);
        assertEquals(7, Tax.INSTANCE.of(100));
        assertThrows(IllegalArgumentException.class, () -> Tax.INSTANCE.setRate(101));
    }
}
