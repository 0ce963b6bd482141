package org.example.shop.pricing;

import java.math.BigDecimal;

public interface ExchangeRateClient {

    /**
     * The value of one unit of a currency in another.
     *
     * @throws ExchangeRateException if the service gives no rate
     */
    BigDecimal rate(String from, String to) throws ExchangeRateException;
}
