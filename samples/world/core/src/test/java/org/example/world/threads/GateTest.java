package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

class GateTest {

    @Test
    void theGateOpensAfterAllArrived() throws Exception {
        Gate gate = new Gate(2);
        assertEquals("closed", gate.state());
        gate.arriveLater(2);
        while (!gate.pass(500)) {
            Thread.yield();
        }
        assertEquals("open", gate.state());
        assertFalse(gate.pass(501));
    }
}
