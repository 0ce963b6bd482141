package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ToolPathTest {

    @Test
    void foldersAreSplit() {
        assertEquals(List.of("/bin", "/usr/bin"), ToolPath.parse("/bin:/usr/bin"));
        assertEquals(List.of(), ToolPath.parse(" "));
        assertEquals(new ToolPath().folders().size(), new ToolPath().count());
        assertEquals("...r/bin", ToolPath.shorten("/usr/local/bin".replace("local", "r"), 8));
    }
}
