package org.example.shop.shipping;

import java.util.Set;

public enum ShippingZone {
    DOMESTIC,
    EUROPE,
    WORLD;

    private static final Set<String> EUROPEAN =
            Set.of("AT", "BE", "CZ", "DK", "ES", "FI", "FR", "IE", "IT", "LU", "NL", "PL", "PT", "SE");

    public static ShippingZone of(String country, String home) {
        if (country == null || country.length() != 2) {
            throw new IllegalArgumentException("not a country: " + country);
        }
        if (country.equalsIgnoreCase(home)) {
            return DOMESTIC;
        }
        return EUROPEAN.contains(country.toUpperCase(java.util.Locale.ROOT)) ? EUROPE : WORLD;
    }
}
