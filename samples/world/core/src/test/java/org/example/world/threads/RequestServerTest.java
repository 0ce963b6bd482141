package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class RequestServerTest {

    @Test
    void requestsAreAnswered() throws Exception {
        RequestServer server = new RequestServer();
        assertThrows(IllegalStateException.class, () -> server.ask("GET a"));
        server.start();
        try {
            assertEquals("200 a", server.ask("GET a"));
            assertEquals("201", server.ask("PUT a"));
            assertEquals("405", server.ask("POST a"));
            assertEquals("400", server.ask(""));
        } finally {
            server.stop();
        }
        assertFalse(server.isRunning());
    }
}
