package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.junit.jupiter.api.Test;

class MeetingTimeTest {

    @Test
    void noonIsLunch() {
        assertEquals("lunch", MeetingTime.slot(12));
        assertEquals("closed", MeetingTime.slot(7));
        assertEquals("open", MeetingTime.slot(9));
        MeetingTime time = new MeetingTime();
        assertEquals(3600, time.epochSecond(2026, 1, 10) - time.epochSecond(2026, 1, 9));
        assertNotNull(time.zone());
    }
}
