package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OrderKeyTest {

    @Test
    void keysDiffer() {
        assertNotEquals(new OrderKey("A").key(), new OrderKey("A").key());
        assertTrue(new OrderKey("A").label().startsWith("A/"));
        assertEquals("fast", new OrderKey("VIP 1").kind());
    }
}
