package org.example.world.groovy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RulesTest {

    @Test
    void rulesAreApplied() {
        assertTrue(Rules.check("short", "abc"));
        assertFalse(Rules.check("upper", "abc"));
        assertEquals(2, Rules.count());
        assertThrows(IllegalArgumentException.class, () -> Rules.check("none", "abc"));
    }
}
