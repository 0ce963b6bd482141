package org.example.shop.pricing;

import java.time.Clock;
import java.time.DayOfWeek;
import java.time.LocalDate;
import lombok.RequiredArgsConstructor;
import org.example.shop.catalog.Product;
import org.example.shop.customer.Customer;
import org.example.shop.customer.CustomerTier;
import org.springframework.stereotype.Component;

/** Decides which discount a customer gets on a number of pieces of a product. */
@Component
@RequiredArgsConstructor
public class DiscountPolicy {

    private final Clock clock;

    public Discount discountFor(Customer customer, Product product, int count) {
        if (customer == null || customer.isBlocked()) {
            return Discount.None.INSTANCE;
        }
        if (product.getCategory() != null && "Clearance".equals(product.getCategory().getName()) && count >= 3) {
            return new Discount.BuyGet(2, 1);
        }
        LocalDate today = LocalDate.now(clock);
        if (customer.getBirthday() != null
                && customer.getBirthday().getDayOfYear() == today.getDayOfYear()
                && customer.isAdult(today)) {
            return new Discount.Fixed(Money.of("10.00", product.unitPrice().getCurrency()));
        }
        int percent = switch (customer.getTier()) {
            case GOLD -> 10;
            case SILVER -> 5;
            case BASIC -> 0;
        };
        if (count >= 100) {
            percent += 10;
        } else if (count >= 20) {
            percent += 4;
        }
        if (customer.getTier() != CustomerTier.BASIC && today.getDayOfWeek() == DayOfWeek.MONDAY) {
            percent += 1;
        }
        return percent == 0 ? Discount.None.INSTANCE : new Discount.Percentage(percent);
    }
}
