package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ProcessLabelTest {

    @Test
    void aLockNamesItsOwner() {
        String lock = new ProcessLabel().lockName("db");
        assertEquals(ProcessHandle.current().pid(), ProcessLabel.owner(lock));
        assertEquals(-1, ProcessLabel.owner("db"));
        assertEquals(0, ProcessLabel.owner("db.x.lock"));
    }
}
