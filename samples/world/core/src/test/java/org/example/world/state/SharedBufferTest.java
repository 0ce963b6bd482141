package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedBufferTest {

    @AfterEach
    void clean() {
        SharedBuffer.clean();
    }

    @Test
    void theBufferIsCleanAtFirst() {
        assertTrue(SharedBuffer.isClean());
        assertEquals(10, SharedBuffer.fill(1));
        assertFalse(SharedBuffer.isClean());
        assertEquals(1, SharedBuffer.view()[0]);
    }
}
