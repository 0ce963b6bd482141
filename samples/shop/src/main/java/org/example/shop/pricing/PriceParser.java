package org.example.shop.pricing;

import java.math.BigDecimal;

/** Reads prices as people write them: {@code 12.50 EUR}, {@code €1.234,50}, {@code $ 7}. */
public final class PriceParser {

    private final String defaultCurrency;

    public PriceParser(String defaultCurrency) {
        this.defaultCurrency = defaultCurrency;
    }

    public Money parse(String text) throws PriceFormatException {
        if (text == null || text.isBlank()) {
            throw new PriceFormatException("", 0);
        }
        String rest = text.strip();
        String currency = null;
        String symbol = currencyOf(rest.charAt(0));
        if (symbol != null) {
            currency = symbol;
            rest = rest.substring(1).strip();
        } else if (currencyOf(rest.charAt(rest.length() - 1)) != null) {
            currency = currencyOf(rest.charAt(rest.length() - 1));
            rest = rest.substring(0, rest.length() - 1).strip();
        } else if (rest.length() > 4 && rest.charAt(rest.length() - 4) == ' ') {
            currency = rest.substring(rest.length() - 3);
            for (int i = 0; i < 3; i++) {
                if (!Character.isUpperCase(currency.charAt(i))) {
                    throw new PriceFormatException(text, text.length() - 3 + i);
                }
            }
            rest = rest.substring(0, rest.length() - 4).strip();
        }
        return new Money(amount(text, rest), currency == null ? defaultCurrency : currency);
    }

    private static BigDecimal amount(String text, String digits) throws PriceFormatException {
        int lastComma = digits.lastIndexOf(',');
        int lastPoint = digits.lastIndexOf('.');
        int decimal = Math.max(lastComma, lastPoint);
        if (decimal >= 0 && digits.length() - decimal - 1 == 3 && Math.min(lastComma, lastPoint) < 0) {
            // A single separator before three digits separates thousands.
            decimal = -1;
        }
        StringBuilder plain = new StringBuilder();
        int fraction = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c >= '0' && c <= '9') {
                plain.append(c);
                if (decimal >= 0 && i > decimal) {
                    fraction++;
                }
            } else if (i == decimal) {
                plain.append('.');
            } else if (c == '-' && i == 0) {
                plain.append('-');
            } else if (c != ',' && c != '.' && c != ' ' && c != '\'') {
                throw new PriceFormatException(text, Math.max(0, text.indexOf(c)));
            }
        }
        if (fraction > 2 || plain.length() == 0 || plain.length() > 15) {
            throw new PriceFormatException(text, 0);
        }
        try {
            return new BigDecimal(plain.toString()).setScale(2);
        } catch (NumberFormatException e) {
            throw new PriceFormatException(text, 0);
        }
    }

    private static String currencyOf(char symbol) {
        switch (symbol) {
            case '€':
                return "EUR";
            case '$':
                return "USD";
            case '£':
                return "GBP";
            default:
                return null;
        }
    }
}
