package org.example.shop.catalog;

import java.math.BigDecimal;
import lombok.Builder;
import lombok.Value;

@Value
@Builder
public class ProductDto {
    String sku;
    String name;
    BigDecimal price;
    String currency;
    String category;
    boolean available;
}
