package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TextStyleTest {

    @AfterEach
    void restore() {
        TextStyle.SHORT.setSeparator(",");
        TextStyle.setDefault(TextStyle.SHORT);
    }

    @Test
    void theDefaultStyleIsShort() {
        assertSame(TextStyle.SHORT, TextStyle.getDefault());
        assertEquals("a,b", TextStyle.join("a", "b"));
        assertEquals(", ", TextStyle.LONG.getSeparator());
        TextStyle.SHORT.setSeparator(null);
        assertEquals("ab", TextStyle.join("a", "b"));
        assertEquals(20, TextStyle.join("a".repeat(30)).length());
    }
}
