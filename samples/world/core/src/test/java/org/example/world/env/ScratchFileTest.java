package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchFileTest {

    @TempDir
    Path folder;

    @Test
    void filesAreWritten() throws Exception {
        ScratchFile scratch = new ScratchFile();
        Path file = scratch.write("text");
        try {
            assertEquals("text", Files.readString(file));
        } finally {
            Files.delete(file);
        }
        assertEquals(folder.resolve("copy.txt"), scratch.copy(folder, ""));
        assertThrows(IllegalArgumentException.class, () -> scratch.copy(folder.resolve("none"), ""));
    }
}
