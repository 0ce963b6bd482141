package org.example.shop.stock;

import java.time.Instant;
import lombok.Value;

@Value
public class Reservation {
    String orderNumber;
    String sku;
    int count;
    Instant at;
}
