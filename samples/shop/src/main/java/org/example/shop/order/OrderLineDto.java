package org.example.shop.order;

public record OrderLineDto(String sku, String name, int count) {
}
