package org.example.shop.customer;

import jakarta.persistence.Embeddable;
import lombok.AllArgsConstructor;
import lombok.Builder;
import lombok.Data;
import lombok.NoArgsConstructor;

@Data
@Builder
@NoArgsConstructor
@AllArgsConstructor
@Embeddable
public class Address {

    private String street;
    private String postcode;
    private String city;
    private String country;

    public boolean isComplete() {
        return filled(street) && filled(postcode) && filled(city) && country != null && country.length() == 2;
    }

    private static boolean filled(String text) {
        return text != null && !text.isBlank();
    }
}
