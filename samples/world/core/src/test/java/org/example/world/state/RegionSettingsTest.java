package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RegionSettingsTest {

    private final Locale before = Locale.getDefault();

    @AfterEach
    void restore() {
        Locale.setDefault(before);
    }

    @Test
    void theLocaleChanges() {
        assertEquals(System.getProperty("user.language"), before.getLanguage());
        new RegionSettings().choose("fr");
        assertEquals("fr-FR", new RegionSettings().current());
        assertThrows(IllegalArgumentException.class, () -> new RegionSettings().choose("xx"));
        assertTrue(RegionSettings.isKnown("tr"));
    }
}
