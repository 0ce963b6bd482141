package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class WordCountPoolTest {

    @Test
    void wordsOfAllLinesAreSummed() throws Exception {
        try (WordCountPool pool = new WordCountPool(2)) {
            assertEquals(3, pool.count(List.of("a b", "", "c")));
            assertFalse(pool.isClosed());
        }
        assertThrows(IllegalArgumentException.class, () -> new WordCountPool(0));
    }
}
