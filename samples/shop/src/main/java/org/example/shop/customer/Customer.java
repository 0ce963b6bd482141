package org.example.shop.customer;

import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.math.BigDecimal;
import java.time.LocalDate;
import lombok.EqualsAndHashCode;
import lombok.Getter;
import lombok.Setter;

@Entity
@Getter
@Setter
@EqualsAndHashCode(of = "email")
public class Customer {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Long id;

    @Column(unique = true)
    private String email;

    private String firstName;

    private String lastName;

    private LocalDate birthday;

    @Enumerated(EnumType.STRING)
    private CustomerTier tier = CustomerTier.BASIC;

    private BigDecimal turnover = BigDecimal.ZERO;

    private boolean blocked;

    @Embedded
    private Address address;

    public String displayName() {
        if (firstName == null || firstName.isBlank()) {
            return lastName == null || lastName.isBlank() ? email : lastName;
        }
        return lastName == null || lastName.isBlank() ? firstName : firstName + " " + lastName;
    }

    public boolean isAdult(LocalDate today) {
        return birthday != null && !birthday.plusYears(18).isAfter(today);
    }

    /** Adds to the turnover; true if the customer climbed to another tier. */
    public boolean addTurnover(BigDecimal amount) {
        turnover = turnover.add(amount);
        CustomerTier reached = CustomerTier.of(turnover);
        if (reached.compareTo(tier) > 0) {
            tier = reached;
            return true;
        }
        return false;
    }
}
