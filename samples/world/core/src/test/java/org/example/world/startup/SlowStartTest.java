package org.example.world.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SlowStartTest {

    @Test
    void sizesHaveNames() {
        assertEquals("small", SlowStart.size(4));
        assertEquals("medium", SlowStart.size(5));
        assertEquals("large", SlowStart.size(50));
        assertEquals("huge", SlowStart.size(500));
    }
}
