package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestContextTest {

    @AfterEach
    void leave() {
        RequestContext.leave();
    }

    @Test
    void nobodyHasEnteredAtFirst() {
        assertEquals("anonymous", RequestContext.user());
        RequestContext.enter("admin 1");
        assertTrue(RequestContext.mayWrite());
        assertThrows(IllegalStateException.class, () -> RequestContext.enter("other"));
    }
}
