package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FormatsTest {

    @AfterEach
    void reload() {
        Formats.reload();
    }

    @Test
    void theLoaderFindsOneFormat() {
        assertEquals(1, Formats.count());
        assertEquals("a=1", Formats.line("plain", "a", 1));
        assertEquals("a", Formats.line("plain", "a", -1));
        assertEquals("?", Formats.line("none", "a", 1));
        Formats.add(new Formats.PlainFormat());
        assertEquals(2, Formats.count());
    }
}
