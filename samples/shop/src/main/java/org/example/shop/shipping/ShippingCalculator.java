package org.example.shop.shipping;

import java.math.BigDecimal;
import lombok.RequiredArgsConstructor;
import org.example.shop.customer.Address;
import org.example.shop.order.Order;
import org.example.shop.order.OrderLine;
import org.example.shop.pricing.Money;
import org.springframework.stereotype.Component;

@Component
@RequiredArgsConstructor
public class ShippingCalculator {

    private static final int GRAMS_INCLUDED = 2000;

    private final ShippingProperties properties;

    public Money cost(Order order, Money goods) {
        Address address = order.getShippingAddress();
        if (address == null || !address.isComplete()) {
            throw new IllegalStateException("the order has no complete address");
        }
        ShippingZone zone = ShippingZone.of(address.getCountry(), properties.getHomeCountry());
        if (zone == ShippingZone.DOMESTIC && properties.getFreeFrom() != null
                && goods.getAmount().compareTo(properties.getFreeFrom()) >= 0) {
            return Money.zero(goods.getCurrency());
        }
        int grams = 0;
        for (OrderLine line : order.getLines()) {
            grams += line.getProduct().getGrams() * line.getCount();
        }
        return new Money(cost(zone, grams, false), goods.getCurrency());
    }

    public BigDecimal cost(ShippingZone zone, Parcel parcel) {
        return cost(zone, parcel.getChargeableGrams(), parcel.isBulky());
    }

    private BigDecimal cost(ShippingZone zone, int grams, boolean bulky) {
        if (grams < 0) {
            throw new IllegalArgumentException("a negative weight: " + grams);
        }
        BigDecimal cost = properties.baseOf(zone);
        if (grams > GRAMS_INCLUDED) {
            int kilograms = (grams - GRAMS_INCLUDED + 999) / 1000;
            cost = cost.add(properties.getPerKilogram().multiply(BigDecimal.valueOf(kilograms)));
        }
        if (bulky) {
            cost = cost.add(properties.getBulkySurcharge());
            if (zone == ShippingZone.WORLD) {
                cost = cost.add(properties.getBulkySurcharge());
            }
        }
        return cost;
    }
}
