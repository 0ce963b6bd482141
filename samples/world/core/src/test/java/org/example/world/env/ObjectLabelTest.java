package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ObjectLabelTest {

    @Test
    void onlyTextsAreQuoted() {
        ObjectLabel label = new ObjectLabel();
        assertEquals("\"a\"", label.label("a"));
        assertEquals("null", label.label(null));
        assertTrue(label.label(label).startsWith("ObjectLabel#"));
        assertEquals(0, label.bucket(label, 1));
    }
}
