package org.example.shop.catalog;

public enum ProductStatus {
    DRAFT,
    ACTIVE,
    DISCONTINUED;

    public boolean isSold() {
        return this == ACTIVE;
    }
}
