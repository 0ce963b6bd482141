package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AppModeTest {

    @Test
    void aProductionUsesAllButOneCore() {
        assertEquals(7, AppMode.workers("production", 8));
        assertEquals(1, AppMode.workers("development", 8));
        assertThrows(IllegalArgumentException.class, () -> AppMode.workers("production", 0));
        assertTrue(new AppMode("production").isProduction());
        assertNotNull(AppMode.current());
    }
}
