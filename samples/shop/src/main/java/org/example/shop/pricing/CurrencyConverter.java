package org.example.shop.pricing;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import lombok.RequiredArgsConstructor;
import org.springframework.stereotype.Service;

@Service
@RequiredArgsConstructor
public class CurrencyConverter {

    private final ExchangeRateClient client;
    private final Clock clock;

    /** The amount in another currency; empty if there is no rate. */
    public Optional<Money> convert(Money money, String currency) {
        if (money.getCurrency().equals(currency)) {
            return Optional.of(money);
        }
        Instant now = clock.instant();
        ExchangeRateCache cache = ExchangeRateCache.getInstance();
        BigDecimal rate = cache.get(money.getCurrency(), currency, now).orElse(null);
        if (rate == null) {
            try {
                rate = client.rate(money.getCurrency(), currency);
            } catch (ExchangeRateException e) {
                return Optional.empty();
            }
            cache.put(money.getCurrency(), currency, rate, now);
        }
        BigDecimal converted = money.getAmount().multiply(rate).setScale(2, RoundingMode.HALF_EVEN);
        return Optional.of(new Money(converted, currency));
    }
}
