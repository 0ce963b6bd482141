package org.example.shop.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import java.math.BigDecimal;
import lombok.AllArgsConstructor;
import lombok.Builder;
import lombok.Getter;
import lombok.NoArgsConstructor;
import lombok.Setter;
import org.example.shop.pricing.Money;

@Entity
@Getter
@Setter
@Builder
@NoArgsConstructor
@AllArgsConstructor
public class Product {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Long id;

    @Column(unique = true)
    private String sku;

    private String name;

    private BigDecimal price;

    private String currency;

    private int grams;

    @Enumerated(EnumType.STRING)
    private ProductStatus status;

    @ManyToOne
    private Category category;

    public Money unitPrice() {
        return new Money(price, currency == null ? "EUR" : currency);
    }

    public boolean isAvailable() {
        return status != null && status.isSold() && price != null && price.signum() > 0;
    }

    /** Takes the product off sale; drafts are not affected. */
    public boolean discontinue() {
        if (status != ProductStatus.ACTIVE) {
            return false;
        }
        status = ProductStatus.DISCONTINUED;
        return true;
    }
}
