package org.example.shop.catalog;

import java.math.BigDecimal;
import lombok.Data;

@Data
public class ProductForm {
    @Sku
    private String sku;
    private String name;
    private BigDecimal price;
    private String currency;
    private Integer grams;
    private Category category;
    private ProductStatus status;
}
