package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ErrorHandlerTest {

    @AfterEach
    void remove() {
        ErrorHandler.remove();
    }

    @Test
    void noHandlerIsInstalledAtFirst() {
        assertNull(Thread.getDefaultUncaughtExceptionHandler());
        ErrorHandler handler = new ErrorHandler();
        handler.install();
        assertTrue(handler.isInstalled());
        handler.uncaughtException(Thread.currentThread(), new IllegalStateException());
        assertEquals("uneasy", handler.state());
    }
}
