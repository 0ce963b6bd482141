package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SecretTokenTest {

    @Test
    void aTokenMatchesItself() {
        String token = new SecretToken().create(16);
        assertEquals(16, token.length());
        assertTrue(SecretToken.matches(token, token));
        assertFalse(SecretToken.matches("ab", "ac"));
        assertFalse(SecretToken.matches("ab", "a"));
    }
}
