package org.example.world.env;

import java.util.UUID;

/** Orders with a random key. */
public class OrderKey {

    private final UUID key = UUID.randomUUID();
    private final String customer;

    public OrderKey(String customer) {
        if (customer.isEmpty()) { // feasible: 2 of 2
            throw new IllegalArgumentException("no customer");
        }
        this.customer = customer;
    }

    public UUID key() {
        return key;
    }

    public String label() {
        return customer + "/" + key.toString().substring(0, 8);
    }

    public String kind() {
        return customer.startsWith("VIP") ? "fast" : "normal"; // feasible: 2 of 2
    }
}
