package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DayGreetingTest {

    @Test
    void theDayHasThreeParts() {
        DayGreeting greeting = new DayGreeting();
        assertEquals("Good morning", greeting.at(0));
        assertEquals("Good afternoon", greeting.at(12));
        assertEquals("Good evening", greeting.at(18));
        assertTrue(greeting.now().startsWith("Good "));
        assertNotNull(greeting.today());
    }
}
