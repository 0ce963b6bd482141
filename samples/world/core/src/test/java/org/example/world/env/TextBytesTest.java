package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TextBytesTest {

    @Test
    void asciiHasOneByteALetter() {
        assertEquals(3, new TextBytes().length("abc"));
        assertEquals(0, new TextBytes().length(""));
        assertTrue(TextBytes.isAscii("abc"));
        assertFalse(TextBytes.isAscii("\u00e4"));
    }
}
