package org.example.world.env;

import java.security.SecureRandom;

/** Tokens of a cryptographic generator. */
public class SecretToken {

    private static final SecureRandom RANDOM = new SecureRandom();

    public String create(int length) {
        if (length < 1 || length > 64) { // feasible: 4 of 4
            throw new IllegalArgumentException("length: " + length);
        }
        StringBuilder token = new StringBuilder();
        for (int i = 0; i < length; i++) { // feasible: 2 of 2
            token.append(Character.forDigit(RANDOM.nextInt(16), 16));
        }
        return token.toString();
    }

    public static boolean matches(String expected, String given) {
        if (expected.length() != given.length()) { // feasible: 2 of 2
            return false;
        }
        int difference = 0;
        for (int i = 0; i < expected.length(); i++) { // feasible: 2 of 2
            difference |= expected.charAt(i) ^ given.charAt(i);
        }
        return difference == 0; // feasible: 2 of 2
    }
}
