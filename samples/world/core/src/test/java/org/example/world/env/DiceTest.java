package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DiceTest {

    @Test
    void aThrowIsASide() {
        int roll = new Dice(6).roll();
        assertTrue(roll >= 1 && roll <= 6);
        assertEquals(0, new Dice(6).sum(0));
        assertEquals("high", new Dice(6).verdict(13));
        assertEquals("even", new Dice(6).verdict(6));
        assertThrows(IllegalArgumentException.class, () -> new Dice(1));
    }
}
