package org.example.shop.pricing;

public class PriceFormatException extends Exception {

    private static final long serialVersionUID = 1;

    private final int position;

    public PriceFormatException(String text, int position) {
        super("not a price: " + text + " (at " + position + ")");
        this.position = position;
    }

    public int getPosition() {
        return position;
    }
}
