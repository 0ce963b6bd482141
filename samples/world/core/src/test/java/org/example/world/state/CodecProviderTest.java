package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CodecProviderTest {

    @AfterEach
    void restore() {
        CodecProvider.setCodec(null);
    }

    @Test
    void theDefaultUsesBrackets() {
        assertTrue(CodecProvider.isDefault());
        assertEquals("<a>", CodecProvider.encode("a"));
        CodecProvider.setCodec(text -> text + text);
        assertEquals("aa", CodecProvider.encode("a"));
        assertEquals("-", CodecProvider.encode(null));
    }
}
