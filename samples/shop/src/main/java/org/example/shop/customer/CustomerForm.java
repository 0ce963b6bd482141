package org.example.shop.customer;

import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import java.time.LocalDate;
import lombok.Data;

@Data
public class CustomerForm {
    @Email
    @NotBlank
    private String email;
    private String firstName;
    private String lastName;
    private LocalDate birthday;
    private String street;
    private String postcode;
    private String city;
    private String country;
}
