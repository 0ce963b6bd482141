package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StopwatchTest {

    @Test
    void onlyARunningStopwatchStops() {
        Stopwatch watch = new Stopwatch();
        assertThrows(IllegalStateException.class, watch::stop);
        watch.start();
        assertThrows(IllegalStateException.class, watch::start);
        assertTrue(watch.stop() >= 0);
        assertEquals("2 ms", Stopwatch.format(2_500_000));
    }
}
