package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogSetupTest {

    @AfterEach
    void restore() {
        LogSetup.verbosity(0);
    }

    @Test
    void theLevelIsInheritedAtFirst() {
        assertEquals("inherited", LogSetup.level());
        LogSetup.verbosity(1);
        assertTrue(LogSetup.isVerbose());
        LogSetup.verbosity(-1);
        assertEquals("OFF", LogSetup.level());
    }
}
