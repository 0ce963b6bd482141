package org.example.shop.stock;

public record StockLevel(String sku, int onHand, int reserved, int minimum) {

    public StockLevel {
        if (onHand < 0 || reserved < 0) {
            throw new IllegalArgumentException("negative stock of " + sku);
        }
    }

    public int available() {
        return Math.max(0, onHand - reserved);
    }

    public boolean isLow() {
        return available() < minimum;
    }
}
