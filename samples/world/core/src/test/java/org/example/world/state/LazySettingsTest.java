package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LazySettingsTest {

    @AfterEach
    void reset() {
        LazySettings.reset();
    }

    @Test
    void aProfileIsChosenBeforeTheFirstUse() {
        LazySettings.profile("test");
        assertTrue(LazySettings.get().isTest());
        assertThrows(IllegalStateException.class, () -> LazySettings.profile("other"));
        LazySettings.reset();
        assertEquals("default", LazySettings.get().profile());
    }
}
