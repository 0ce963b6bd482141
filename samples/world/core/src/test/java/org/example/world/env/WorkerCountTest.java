package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WorkerCountTest {

    @Test
    void thereIsAlwaysAWorker() {
        assertTrue(new WorkerCount().workers(1) >= 1);
        assertEquals(3, WorkerCount.batches(5, 2));
        assertEquals(0, WorkerCount.batches(0, 2));
        assertThrows(IllegalArgumentException.class, () -> new WorkerCount().workers(0));
    }
}
