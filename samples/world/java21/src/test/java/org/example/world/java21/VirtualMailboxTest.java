package org.example.world.java21;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualMailboxTest {

    @Test
    void messagesAreReceivedInOrder() throws Exception {
        VirtualMailbox mailbox = new VirtualMailbox();
        assertEquals(List.of(), mailbox.close());
        mailbox.open();
        mailbox.send("a");
        mailbox.send("a long message");
        assertEquals(List.of("a", "a long mes"), mailbox.close());
        assertThrows(IllegalStateException.class, mailbox::open);
    }
}
