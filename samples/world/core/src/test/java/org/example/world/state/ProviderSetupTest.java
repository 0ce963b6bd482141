package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProviderSetupTest {

    @AfterEach
    void remove() {
        new ProviderSetup().remove();
    }

    @Test
    void theProviderIsInstalledOnce() {
        ProviderSetup setup = new ProviderSetup();
        assertFalse(setup.isInstalled());
        assertTrue(setup.install() > 0);
        assertEquals(-1, setup.install());
        assertEquals("AES-256", ProviderSetup.algorithm(256));
    }
}
