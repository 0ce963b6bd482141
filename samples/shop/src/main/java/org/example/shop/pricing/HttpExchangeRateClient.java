package org.example.shop.pricing;

import java.math.BigDecimal;
import java.util.Map;
import lombok.extern.slf4j.Slf4j;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

@Component
@Slf4j
public class HttpExchangeRateClient implements ExchangeRateClient {

    private final RestClient client;
    private final String address;

    public HttpExchangeRateClient(RestClient client, @Value("${shop.rates.address}") String address) {
        this.client = client;
        this.address = address;
    }

    @Override
    public BigDecimal rate(String from, String to) throws ExchangeRateException {
        if (from.equals(to)) {
            return BigDecimal.ONE;
        }
        RateTable table;
        try {
            table = client.get().uri(address + "/{from}", from).retrieve().body(RateTable.class);
        } catch (RestClientException e) {
            log.warn("no rates for {}: {}", from, e.getMessage());
            throw new ExchangeRateException("the service failed", e);
        }
        if (table == null || table.rates() == null) {
            throw new ExchangeRateException("the service gave no table", null);
        }
        BigDecimal rate = table.rates().get(to);
        if (rate == null || rate.signum() <= 0) {
            throw new ExchangeRateException("no rate from " + from + " to " + to, null);
        }
        return rate;
    }

    /** The answer of the service. */
    public record RateTable(String base, Map<String, BigDecimal> rates) {
    }
}
