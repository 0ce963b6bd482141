package org.example.shop.pricing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriceParserTest {

    private final PriceParser parser = new PriceParser("EUR");

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "12.50 USD | 12.50 | USD", "€1.234,50 | 1234.50 | EUR", "1.234 | 1234.00 | EUR", "-7 £ | -7.00 | GBP"
    })
    void readsPrices(String text, String amount, String currency) throws PriceFormatException {
        assertEquals(Money.of(amount, currency), parser.parse(text));
    }

    @Test
    void rejectsWords() {
        assertEquals(2, assertThrows(PriceFormatException.class, () -> parser.parse("12x")).getPosition());
    }
}
