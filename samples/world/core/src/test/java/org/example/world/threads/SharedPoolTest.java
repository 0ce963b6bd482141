package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SharedPoolTest {

    @Test
    void powersAreComputed() throws Exception {
        assertEquals(8, SharedPool.power(2, 3));
        assertEquals(1, SharedPool.power(2, 0));
        assertThrows(IllegalArgumentException.class, () -> SharedPool.power(2, -1));
    }
}
