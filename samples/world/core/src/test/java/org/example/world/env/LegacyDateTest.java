package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LegacyDateTest {

    @Test
    void centuriesAreLeapYearsEveryFourth() {
        assertTrue(LegacyDate.isLeap(2000));
        assertFalse(LegacyDate.isLeap(1900));
        assertTrue(LegacyDate.isLeap(2024));
        assertEquals(1970, new LegacyDate().year(86_400_000L * 100));
        assertNotNull(new LegacyDate().stamp());
    }
}
