package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MemoryGaugeTest {

    @Test
    void sizesHaveUnits() {
        assertEquals("5 B", MemoryGauge.format(5));
        assertEquals("2 KiB", MemoryGauge.format(2048));
        assertEquals("1 MiB", MemoryGauge.format(1 << 20));
        assertTrue(new MemoryGauge().free() > 0);
    }
}
