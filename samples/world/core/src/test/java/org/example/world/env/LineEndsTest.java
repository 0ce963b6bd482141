package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LineEndsTest {

    @Test
    void linesAreCounted() {
        assertEquals(2, LineEnds.count("a\nb\n"));
        assertEquals("b", new LineEnds().join("", "b"));
        assertTrue(new LineEnds().join("a", "b").startsWith("a"));
    }
}
