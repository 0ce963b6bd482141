package org.example.shop.order;

public enum OrderStatus {
    NEW,
    PAID,
    PACKED,
    SHIPPED,
    DELIVERED,
    CANCELLED,
    RETURNED
}
