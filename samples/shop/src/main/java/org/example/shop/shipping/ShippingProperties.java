package org.example.shop.shipping;

import jakarta.validation.constraints.NotBlank;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.Map;
import lombok.Data;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

@Data
@Validated
@ConfigurationProperties("shop.shipping")
public class ShippingProperties {

    @NotBlank
    private String homeCountry = "DE";

    /** Orders from this amount on are sent for free within the country; null for never. */
    private BigDecimal freeFrom;

    private Map<ShippingZone, BigDecimal> base = new EnumMap<>(ShippingZone.class);

    private BigDecimal perKilogram = new BigDecimal("1.50");

    private BigDecimal bulkySurcharge = new BigDecimal("15.00");

    public BigDecimal baseOf(ShippingZone zone) {
        BigDecimal configured = base.get(zone);
        if (configured != null) {
            return configured;
        }
        switch (zone) {
            case DOMESTIC:
                return new BigDecimal("4.90");
            case EUROPE:
                return new BigDecimal("12.90");
            default:
                return new BigDecimal("29.00");
        }
    }
}
