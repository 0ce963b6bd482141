package org.example.world.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class AuditTest {

    @Test
    void largeAmountsAreMarked() {
        Audit audit = new Audit();
        assertNull(audit.last());
        assertEquals("ada!", audit.record("ada", 1001));
        assertEquals("ada!", audit.last());
    }
}
