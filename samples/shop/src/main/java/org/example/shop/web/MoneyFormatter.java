package org.example.shop.web;

import java.text.NumberFormat;
import java.text.ParseException;
import java.util.Locale;
import org.example.shop.pricing.Money;
import org.example.shop.pricing.PriceFormatException;
import org.example.shop.pricing.PriceParser;
import org.springframework.format.Formatter;

public class MoneyFormatter implements Formatter<Money> {

    private final PriceParser parser = new PriceParser("EUR");

    @Override
    public Money parse(String text, Locale locale) throws ParseException {
        try {
            return parser.parse(text);
        } catch (PriceFormatException e) {
            throw new ParseException(e.getMessage(), e.getPosition());
        }
    }

    @Override
    public String print(Money money, Locale locale) {
        NumberFormat format = NumberFormat.getNumberInstance(locale);
        format.setMinimumFractionDigits(2);
        format.setMaximumFractionDigits(2);
        String number = format.format(money.getAmount());
        return "USD".equals(money.getCurrency()) ? "$" + number : number + " " + money.getCurrency();
    }
}
