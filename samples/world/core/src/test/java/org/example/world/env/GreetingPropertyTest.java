package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class GreetingPropertyTest {

    @Test
    void theDefaultGreetsWhereNothingIsSet() {
        assertEquals("Hello, Ada!", new GreetingProperty().greet("Ada"));
        assertEquals("Hello, Ada!", new GreetingProperty().greet("Ada!"));
        assertEquals(10, new GreetingProperty().limit());
        assertThrows(IllegalArgumentException.class, () -> new GreetingProperty().greet(" "));
    }
}
