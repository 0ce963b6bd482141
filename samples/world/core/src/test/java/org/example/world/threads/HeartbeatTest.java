package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class HeartbeatTest {

    @Test
    void itBeatsUntilItIsStopped() {
        Heartbeat heartbeat = new Heartbeat();
        assertFalse(heartbeat.isAlive());
        heartbeat.start(1);
        try {
            while (heartbeat.health(2).equals("late")) {
                Thread.yield();
            }
            assertThrows(IllegalStateException.class, () -> heartbeat.start(1));
        } finally {
            heartbeat.stop();
        }
        assertFalse(heartbeat.isAlive());
    }
}
