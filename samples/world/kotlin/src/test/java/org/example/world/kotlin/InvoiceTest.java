package org.example.world.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InvoiceTest {

    @AfterEach
    void reset() {
        Invoice.Companion.reset();
    }

    @Test
    void numbersBeginWithOne() {
        assertEquals(0, Invoice.Companion.issued());
        assertEquals("1 Ada", Invoice.Companion.create("Ada").label());
        assertEquals(2, Invoice.Companion.create("Bob").getNumber());
        assertThrows(IllegalArgumentException.class, () -> Invoice.Companion.create(" "));
    }
}
