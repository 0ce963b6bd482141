package org.example.world.java21;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.junit.jupiter.api.Test;

class ThreadKindTest {

    @Test
    void shapesHaveAreas() {
        ThreadKind kind = new ThreadKind();
        assertEquals(12, kind.area(new ThreadKind.Circle(2)));
        assertEquals(0, kind.area(new ThreadKind.Circle(-2)));
        assertEquals(6, kind.area(new ThreadKind.Box(2, 3)));
        assertNotNull(kind.current());
        assertEquals("first", kind.label(0));
    }
}
