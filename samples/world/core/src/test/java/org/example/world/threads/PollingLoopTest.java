package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PollingLoopTest {

    @Test
    void anInterruptionEndsTheLoop() throws Exception {
        PollingLoop loop = new PollingLoop();
        Thread thread = loop.start("polling");
        while (!loop.hasPolled()) {
            Thread.yield();
        }
        thread.interrupt();
        thread.join();
        assertEquals(20, PollingLoop.backoff(1));
        assertEquals(1000, PollingLoop.backoff(6));
    }
}
