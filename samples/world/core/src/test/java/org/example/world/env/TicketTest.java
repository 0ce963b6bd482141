package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TicketTest {

    @Test
    void aTicketIsStampedOnce() {
        Ticket ticket = new Ticket(() -> Instant.EPOCH);
        assertFalse(ticket.isValid(1));
        assertEquals(Instant.EPOCH, ticket.stamp());
        assertTrue(ticket.isValid(1));
        assertThrows(IllegalStateException.class, ticket::stamp);
        assertNotNull(Ticket.system().stamp());
    }
}
