package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class OutputCaptureTest {

    @Test
    void outputIsCaptured() {
        OutputCapture capture = new OutputCapture();
        assertEquals("", capture.stop());
        capture.start();
        System.out.print("text");
        assertThrows(IllegalStateException.class, capture::start);
        assertEquals("text", capture.stop());
        assertFalse(System.out.getClass().getName().contains("world"));
    }
}
