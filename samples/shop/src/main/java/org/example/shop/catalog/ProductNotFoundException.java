package org.example.shop.catalog;

public class ProductNotFoundException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public ProductNotFoundException(String sku) {
        super("there is no product " + sku);
    }
}
