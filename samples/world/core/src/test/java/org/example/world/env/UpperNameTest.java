package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class UpperNameTest {

    @Test
    void wordsAreSeparated() {
        assertEquals("BASE_UR", new UpperName().constant("baseUr"));
        assertEquals("A", new UpperName().constant("A"));
    }
}
