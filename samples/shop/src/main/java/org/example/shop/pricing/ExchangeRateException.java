package org.example.shop.pricing;

public class ExchangeRateException extends Exception {

    private static final long serialVersionUID = 1;

    public ExchangeRateException(String message, Throwable cause) {
        super(message, cause);
    }
}
