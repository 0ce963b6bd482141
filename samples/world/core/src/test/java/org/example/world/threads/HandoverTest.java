package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HandoverTest {

    @Test
    void aValueIsHandedOver() throws Exception {
        Handover handover = new Handover();
        handover.putLater("a");
        assertEquals("a", handover.take());
        assertTrue(handover.isEmpty());
        handover.put("b");
        assertThrows(IllegalStateException.class, () -> handover.put("c"));
    }
}
