package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FeatureFlagsTest {

    @AfterEach
    void switchOff() {
        FeatureFlags.disable("search");
    }

    @Test
    void featuresAreOffAtFirst() {
        assertFalse(System.getProperties().stringPropertyNames().stream().anyMatch(name -> name.contains("world.feature")));
        FeatureFlags.enable("search");
        assertEquals("search is on", FeatureFlags.describe("search"));
        assertTrue(FeatureFlags.disable("search"));
        assertThrows(IllegalArgumentException.class, () -> FeatureFlags.enable("A"));
    }
}
