package org.example.shop.pricing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.math.BigDecimal;
import java.time.Clock;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CurrencyConverterTest {

    private final ExchangeRateClient client = mock(ExchangeRateClient.class);
    private final CurrencyConverter converter = new CurrencyConverter(client, Clock.systemUTC());

    @BeforeEach
    void emptyTheCache() {
        ExchangeRateCache.reset();
    }

    @Test
    void asksForARateOnce() throws ExchangeRateException {
        when(client.rate("EUR", "USD")).thenReturn(new BigDecimal("1.1"));
        assertEquals(Optional.of(Money.of("11.00", "USD")), converter.convert(Money.of("10.00", "EUR"), "USD"));
        assertEquals(Optional.of(Money.of("22.00", "USD")), converter.convert(Money.of("20.00", "EUR"), "USD"));
        verify(client, times(1)).rate("EUR", "USD");
        assertEquals(50, ExchangeRateCache.hitRate());
    }

    @Test
    void hasNoAnswerWithoutTheService() throws ExchangeRateException {
        when(client.rate("EUR", "CHF")).thenThrow(new ExchangeRateException("down", null));
        assertTrue(converter.convert(Money.of("10.00", "EUR"), "CHF").isEmpty());
    }
}
