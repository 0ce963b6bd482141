package org.example.shop.order;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Clock;
import org.junit.jupiter.api.Test;

class OrderNumbersTest {

    @Test
    void numbersHaveACheckDigit() {
        String number = new OrderNumbers(Clock.systemUTC()).next();
        assertTrue(OrderNumbers.isValid(number));
        char last = number.charAt(14);
        assertFalse(OrderNumbers.isValid(number.substring(0, 14) + (last == '9' ? '0' : (char) (last + 1))));
    }
}
