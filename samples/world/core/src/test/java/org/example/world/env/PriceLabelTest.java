package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class PriceLabelTest {

    @Test
    void pricesHaveSizes() {
        assertEquals("free", PriceLabel.size(0));
        assertEquals("small", PriceLabel.size(999));
        assertEquals("large", PriceLabel.size(1000));
        assertThrows(IllegalArgumentException.class, () -> PriceLabel.size(-1));
        assertFalse(new PriceLabel().format(1.5).isEmpty());
    }
}
