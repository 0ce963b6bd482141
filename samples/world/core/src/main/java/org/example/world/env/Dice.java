package org.example.world.env;

import java.util.concurrent.ThreadLocalRandom;

/** Throws dice by the random numbers of the thread. */
public class Dice {

    private final int sides;

    public Dice(int sides) {
        if (sides < 2) { // feasible: 2 of 2
            throw new IllegalArgumentException("sides: " + sides);
        }
        this.sides = sides;
    }

    public int roll() {
        return ThreadLocalRandom.current().nextInt(sides) + 1;
    }

    public int sum(int throwsOfDice) {
        int sum = 0;
        for (int i = 0; i < throwsOfDice && i < 100; i++) { // feasible: 4 of 4
            sum += roll();
        }
        return sum;
    }

    public String verdict(int sum) {
        if (sum > sides * 2) { // feasible: 2 of 2
            return "high";
        }
        return sum == sides ? "even" : "low"; // feasible: 2 of 2
    }
}
