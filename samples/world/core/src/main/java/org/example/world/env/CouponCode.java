package org.example.world.env;

/** Codes with a random end. */
public class CouponCode {

    public String next(String prefix) {
        if (prefix.length() != 3) { // feasible: 2 of 2
            throw new IllegalArgumentException("three letters: " + prefix);
        }
        return prefix + "-" + (int) (Math.random() * 9000 + 1000);
    }

    public boolean isLucky() {
        return Math.random() < 0.001; // environment: chance
    }

    public static boolean isCode(String text) {
        return text.length() == 8 && text.charAt(3) == '-'; // feasible: 4 of 4
    }
}
