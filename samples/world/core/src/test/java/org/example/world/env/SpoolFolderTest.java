package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import org.junit.jupiter.api.Test;

class SpoolFolderTest {

    @Test
    void jobsAreCounted() throws Exception {
        SpoolFolder spool = new SpoolFolder();
        File file = spool.spool(3);
        assertEquals(3, file.length());
        assertEquals(1, spool.count());
        assertTrue(file.delete() && file.getParentFile().delete());
        assertEquals("busy", SpoolFolder.state(3));
    }
}
