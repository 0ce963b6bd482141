package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DefaultTextTest {

    @Test
    void valuesAreCompared() {
        assertEquals(0, new DefaultText(1).compare(new DefaultText(1)));
        assertEquals(-1, new DefaultText(1).compare(new DefaultText(2)));
        assertEquals("negative", new DefaultText(-1).key());
        assertTrue(new DefaultText(1).describe().startsWith("value of "));
    }
}
