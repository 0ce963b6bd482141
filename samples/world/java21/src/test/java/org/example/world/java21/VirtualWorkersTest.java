package org.example.world.java21;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class VirtualWorkersTest {

    @Test
    void everyPriceIsTaxed() throws Exception {
        assertEquals(1311, new VirtualWorkers().total(new int[] {10, 1100, -1}));
        assertThrows(IllegalArgumentException.class, () -> new VirtualWorkers().total(new int[101]));
    }
}
