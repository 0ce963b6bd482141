package org.example.world.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RouteTest {

    @Test
    void aRouteIsLongOverAKilometre() {
        Route route = new Route();
        assertEquals(1000, route.addKilometres(1));
        assertEquals("short", route.kind());
        assertEquals(3000, route.addKilometres(2));
        assertEquals("long", route.kind());
        assertEquals(-1, route.addKilometres(-1));
    }
}
