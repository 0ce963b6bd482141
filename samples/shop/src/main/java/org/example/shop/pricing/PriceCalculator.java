package org.example.shop.pricing;

import lombok.RequiredArgsConstructor;
import org.example.shop.customer.Customer;
import org.example.shop.order.Order;
import org.example.shop.order.OrderLine;
import org.example.shop.shipping.ShippingCalculator;
import org.springframework.stereotype.Service;

/** The price of an order: lines with discounts, and shipping unless the order is large. */
@Service
@RequiredArgsConstructor
public class PriceCalculator {

    private final DiscountPolicy discounts;
    private final ShippingCalculator shipping;
    private final CurrencyConverter converter;

    public Money total(Order order, String currency) {
        Money goods = goods(order, currency);
        if (goods.isNegative()) {
            throw new IllegalStateException("the goods cost " + goods);
        }
        return goods.plus(shipping.cost(order, goods));
    }

    public Money goods(Order order, String currency) {
        Customer customer = order.getCustomer();
        Money sum = Money.zero(currency);
        for (OrderLine line : order.getLines()) {
            if (line.getCount() <= 0) {
                continue;
            }
            Discount discount = discounts.discountFor(customer, line.getProduct(), line.getCount());
            Money price = discount.applyTo(line.getProduct().unitPrice(), line.getCount());
            sum = sum.plus(converter.convert(price, currency)
                    .orElseThrow(() -> new IllegalStateException("no price in " + currency)));
        }
        return sum;
    }
}
