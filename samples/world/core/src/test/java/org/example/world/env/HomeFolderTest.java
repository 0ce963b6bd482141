package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HomeFolderTest {

    @Test
    void namesAreResolved() {
        HomeFolder folder = new HomeFolder();
        assertEquals("/etc", folder.resolve("/etc"));
        assertEquals(folder.home(), folder.resolve("~"));
        assertTrue(folder.resolve("notes").endsWith("/notes"));
        assertTrue(folder.isHidden(".profile"));
    }
}
