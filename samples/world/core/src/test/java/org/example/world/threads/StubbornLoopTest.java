package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class StubbornLoopTest {

    @Test
    void theLoopEndsWhereItIsStopped() throws Exception {
        StubbornLoop loop = new StubbornLoop();
        Thread thread = loop.start();
        assertEquals("running", loop.state(0));
        loop.stop();
        thread.join();
        assertEquals("stopped", loop.state(0));
        loop.spinHere(1);
    }
}
