package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LevelTest {

    @AfterEach
    void restore() {
        Level.LOW.restore();
    }

    @Test
    void limitsCanBeMoved() {
        assertEquals(Level.LOW, Level.of(10));
        assertEquals(Level.HIGH, Level.of(100));
        Level.LOW.setLimit(50);
        assertEquals(Level.LOW, Level.of(50));
        assertThrows(IllegalArgumentException.class, () -> Level.of(101));
    }
}
