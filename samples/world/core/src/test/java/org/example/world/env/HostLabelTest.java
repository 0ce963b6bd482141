package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HostLabelTest {

    @Test
    void aLabelEndsWithTheHost() {
        assertTrue(new HostLabel().label("db").startsWith("db@"));
        assertEquals("example.org", HostLabel.domain("www.example.org"));
        assertEquals("", HostLabel.domain("www"));
        assertEquals(".", HostLabel.domain("www."));
    }
}
