package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServiceRegistryTest {

    @AfterEach
    void clear() {
        ServiceRegistry.getInstance().clear();
    }

    @Test
    void theRegistryIsEmptyAtFirst() {
        ServiceRegistry registry = ServiceRegistry.getInstance();
        assertEquals(0, registry.size());
        registry.register("mail", "service");
        assertEquals("service", registry.find("mail"));
        assertThrows(IllegalStateException.class, () -> registry.register("mail", "other"));
        assertTrue(registry.unregister("mail"));
        assertThrows(IllegalStateException.class, () -> registry.find("mail"));
    }
}
