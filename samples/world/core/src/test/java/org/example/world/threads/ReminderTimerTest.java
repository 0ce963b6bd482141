package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ReminderTimerTest {

    @Test
    void aReminderComes() throws Exception {
        ReminderTimer timer = new ReminderTimer();
        try {
            timer.remind("", 0);
            while (!timer.await(1000)) {
                Thread.yield();
            }
            assertEquals(1, timer.due());
            assertThrows(IllegalArgumentException.class, () -> timer.remind("x", -1));
        } finally {
            timer.cancel();
        }
    }
}
