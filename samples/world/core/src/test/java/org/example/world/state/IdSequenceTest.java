package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IdSequenceTest {

    @AfterEach
    void reset() {
        IdSequence.reset();
    }

    @Test
    void numbersBeginWithOne() {
        assertEquals(0, IdSequence.last());
        assertEquals(1, IdSequence.nextId());
        assertEquals("id-2", IdSequence.nextKey(""));
        assertEquals("x-3", IdSequence.nextKey("x"));
    }
}
