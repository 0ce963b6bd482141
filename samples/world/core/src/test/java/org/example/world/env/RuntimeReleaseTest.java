package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RuntimeReleaseTest {

    @Test
    void versionsOfBothKindsAreRead() {
        assertEquals(8, RuntimeRelease.featureOf("1.8.0_1"));
        assertEquals(17, RuntimeRelease.featureOf("17.0.1"));
        assertThrows(IllegalArgumentException.class, () -> RuntimeRelease.featureOf("x"));
        assertTrue(new RuntimeRelease().feature() >= 17);
    }
}
