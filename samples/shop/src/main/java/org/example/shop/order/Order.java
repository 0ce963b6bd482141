package org.example.shop.order;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import lombok.Getter;
import lombok.Setter;
import org.example.shop.catalog.Product;
import org.example.shop.customer.Address;
import org.example.shop.customer.Customer;

@Entity
@Table(name = "orders")
@Getter
@Setter
public class Order {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Long id;

    @Column(unique = true)
    private String number;

    @Enumerated(EnumType.STRING)
    private OrderStatus status = OrderStatus.NEW;

    @ManyToOne
    private Customer customer;

    @Embedded
    private Address shippingAddress;

    @OneToMany(cascade = CascadeType.ALL, orphanRemoval = true)
    private List<OrderLine> lines = new ArrayList<>();

    private BigDecimal total;

    private String currency;

    private String paymentReference;

    private Instant placedAt;

    private Instant changedAt;

    /** Adds pieces of a product; a product that is there already gets a higher count. */
    public OrderLine add(Product product, int count) {
        if (count <= 0) {
            throw new IllegalArgumentException("the count must be positive: " + count);
        }
        for (OrderLine line : lines) {
            if (line.getProduct() == product
                    || line.getProduct().getSku() != null && line.getProduct().getSku().equals(product.getSku())) {
                line.setCount(line.getCount() + count);
                return line;
            }
        }
        OrderLine line = new OrderLine(product, count);
        lines.add(line);
        return line;
    }

    public int pieces() {
        return lines.stream().mapToInt(OrderLine::getCount).sum();
    }
}
