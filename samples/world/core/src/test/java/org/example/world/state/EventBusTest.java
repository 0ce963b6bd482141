package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventBusTest {

    @AfterEach
    void clear() {
        EventBus.clear();
    }

    @Test
    void nobodyListensAtFirst() {
        assertEquals(0, EventBus.publish("event"));
        StringBuilder heard = new StringBuilder();
        Consumer<String> listener = heard::append;
        EventBus.subscribe(listener);
        assertEquals(1, EventBus.publish("event"));
        assertEquals("event", heard.toString());
        assertThrows(IllegalStateException.class, () -> EventBus.subscribe(listener));
        assertTrue(EventBus.unsubscribe(listener));
    }
}
