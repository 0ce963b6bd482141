package org.example.world.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class FailingStartTest {

    @Test
    void namesWithoutSettings() {
        assertEquals("none", new FailingStart().name(0));
        assertEquals("choice 2", new FailingStart().name(2));
        assertThrows(LinkageError.class, () -> new FailingStart().name(-1));
    }
}
