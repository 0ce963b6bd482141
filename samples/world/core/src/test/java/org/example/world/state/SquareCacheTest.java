package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SquareCacheTest {

    @AfterEach
    void clear() {
        SquareCache.clear();
    }

    @Test
    void theSecondCallIsAHit() {
        assertEquals(0, SquareCache.hits());
        assertFalse(SquareCache.isCached(3));
        assertEquals(9, new SquareCache().square(3));
        assertEquals(9, new SquareCache().square(3));
        assertEquals(1, SquareCache.hits());
    }
}
