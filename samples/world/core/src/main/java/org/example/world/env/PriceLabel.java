package org.example.world.env;

import java.text.NumberFormat;

/** Prices in the format of the default locale. */
public class PriceLabel {

    public String format(double amount) {
        return NumberFormat.getCurrencyInstance().format(amount);
    }

    public String grouped(long amount) {
        return String.format("%,d", amount);
    }

    public boolean usesPoint() {
        return String.format("%.1f", 0.5).indexOf('.') > 0; // environment: the locale
    }

    public static String size(int cents) {
        if (cents < 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("negative");
        }
        if (cents == 0) { // feasible: 2 of 2
            return "free";
        }
        return cents < 1000 ? "small" : "large"; // feasible: 2 of 2
    }
}
