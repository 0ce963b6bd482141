package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CouponCodeTest {

    @Test
    void aCodeHasAPrefixAndFourDigits() {
        assertTrue(CouponCode.isCode(new CouponCode().next("ABC")));
        assertFalse(CouponCode.isCode("ABC1234"));
        assertThrows(IllegalArgumentException.class, () -> new CouponCode().next("AB"));
    }
}
