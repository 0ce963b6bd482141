package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RateTableTest {

    @AfterEach
    void restore() {
        RateTable.restore();
    }

    @Test
    void twoCurrenciesAreKnown() {
        assertEquals(-1, RateTable.rate("XYZ"));
        assertEquals(2, RateTable.size());
        assertEquals(1100, RateTable.convert(1000, "EUR", "USD"));
        RateTable.put("GBP", 80);
        assertEquals(800, RateTable.convert(1000, "EUR", "GBP"));
        assertEquals(0, RateTable.convert(1000, "EUR", "XYZ"));
    }
}
