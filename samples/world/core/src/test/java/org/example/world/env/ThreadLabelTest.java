package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ThreadLabelTest {

    @Test
    void aLineNamesItsThread() {
        assertTrue(new ThreadLabel().line("x").endsWith("] x"));
        assertEquals("", new ThreadLabel().line(null));
        assertEquals("ab  ", ThreadLabel.pad("ab", 4));
        assertTrue(new ThreadLabel().number() > 0);
    }
}
