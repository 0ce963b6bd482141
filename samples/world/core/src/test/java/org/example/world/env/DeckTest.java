package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DeckTest {

    @Test
    void everyCardIsDrawnOnce() {
        Deck deck = new Deck(2, new Random(1));
        deck.shuffle();
        assertEquals(1, deck.draw() + deck.draw());
        assertThrows(IllegalStateException.class, deck::draw);
        assertEquals(0, deck.size());
    }
}
