package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ZoneSettingsTest {

    private final TimeZone before = TimeZone.getDefault();

    @AfterEach
    void restore() {
        TimeZone.setDefault(before);
    }

    @Test
    void theZoneChanges() {
        assertNotEquals("GMT+05:00", before.getID());
        assertEquals("GMT+05:00", new ZoneSettings().set(5));
        new ZoneSettings().reset();
        assertEquals(before, TimeZone.getDefault());
        assertThrows(IllegalArgumentException.class, () -> new ZoneSettings().set(15));
    }
}
