package org.example.shop.customer;

import java.math.BigDecimal;

public enum CustomerTier {
    BASIC(0),
    SILVER(500),
    GOLD(2000);

    private final int minimumTurnover;

    CustomerTier(int minimumTurnover) {
        this.minimumTurnover = minimumTurnover;
    }

    /** The best tier for a turnover. */
    public static CustomerTier of(BigDecimal turnover) {
        CustomerTier best = BASIC;
        for (CustomerTier tier : values()) {
            if (turnover.compareTo(BigDecimal.valueOf(tier.minimumTurnover)) >= 0) {
                best = tier;
            }
        }
        return best;
    }
}
