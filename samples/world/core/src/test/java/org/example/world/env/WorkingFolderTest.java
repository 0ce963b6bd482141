package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WorkingFolderTest {

    @Test
    void aNameIsInside() {
        assertTrue(new WorkingFolder().isInside("a.txt"));
        assertFalse(new WorkingFolder().isInside("/nowhere/else"));
        assertEquals("txt", WorkingFolder.extension("a.txt"));
        assertEquals("none", WorkingFolder.extension("a."));
    }
}
