package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class UserFolderTest {

    @Test
    void settingsLieInAHiddenFolder() {
        assertTrue(new UserFolder().settings("world").endsWith("/.world"));
        assertEquals("AL", UserFolder.initials("Ada Lovelace"));
        assertEquals("?", UserFolder.initials(""));
    }
}
