package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ParallelSumTest {

    @Test
    void allValuesAreSummed() {
        ParallelSum sum = new ParallelSum();
        assertEquals(15, sum.sum(new int[] {1, 2, 3, 4, 5}));
        assertEquals(0, sum.sum(new int[] {-1}));
        assertEquals(2, sum.positives(new int[] {1, -1, 2}));
    }
}
