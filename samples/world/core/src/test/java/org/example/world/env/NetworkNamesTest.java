package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NetworkNamesTest {

    @Test
    void namesHaveKinds() throws Exception {
        assertEquals(new NetworkNames().names().size(), new NetworkNames().count());
        assertEquals("loopback", NetworkNames.kind("lo"));
        assertEquals("wired", NetworkNames.kind("eth0"));
        assertEquals("other", NetworkNames.kind("wlan0"));
    }
}
