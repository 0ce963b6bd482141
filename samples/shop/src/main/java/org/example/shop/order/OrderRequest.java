package org.example.shop.order;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import java.util.List;
import org.example.shop.catalog.Sku;

public record OrderRequest(long customerId, String currency, @NotEmpty @Valid List<Item> items) {

    public OrderRequest {
        items = items == null ? List.of() : List.copyOf(items);
        currency = currency == null || currency.isBlank() ? "EUR" : currency.strip();
    }

    public record Item(@Sku String sku, @Min(1) int count) {
    }
}
