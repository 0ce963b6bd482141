package org.example.world.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SlowTableTest {

    @Test
    void theTableIsARing() {
        assertEquals(0, SlowTable.next(63));
        assertEquals(2, SlowTable.next(1));
        assertEquals(SlowTable.isHigh(5), SlowTable.isHigh(5));
        assertThrows(IllegalArgumentException.class, () -> SlowTable.isHigh(64));
    }
}
