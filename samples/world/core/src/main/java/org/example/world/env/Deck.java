package org.example.world.env;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Cards that are shuffled by the random numbers it is given. */
public class Deck {

    private final List<Integer> cards = new ArrayList<>();
    private final Random random;

    public Deck(int size, Random random) {
        if (size < 1 || size > 60) { // feasible: 4 of 4
            throw new IllegalArgumentException("size: " + size);
        }
        this.random = random;
        for (int card = 0; card < size; card++) { // feasible: 2 of 2
            cards.add(card);
        }
    }

    public void shuffle() {
        Collections.shuffle(cards, random);
    }

    public int draw() {
        if (cards.isEmpty()) { // feasible: 2 of 2
            throw new IllegalStateException("no cards");
        }
        return cards.remove(0);
    }

    public int size() {
        return cards.size();
    }
}
