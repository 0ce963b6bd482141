package org.example.shop.customer;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.example.shop.stock.Notifier;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class CustomerService {

    private final CustomerRepository customers;
    private final CustomerMapper mapper;
    private final Notifier notifier;
    private final Clock clock;

    public CustomerService(CustomerRepository customers, CustomerMapper mapper, Notifier notifier, Clock clock) {
        this.customers = customers;
        this.mapper = mapper;
        this.notifier = notifier;
        this.clock = clock;
    }

    @Transactional
    public Customer register(CustomerForm form) {
        if (form.getEmail() == null || form.getEmail().indexOf('@') <= 0) {
            throw new IllegalArgumentException("an e-mail address is needed");
        }
        Optional<Customer> known = customers.findByEmailIgnoreCase(form.getEmail());
        if (known.isPresent()) {
            throw new IllegalStateException(form.getEmail() + " is registered already");
        }
        Customer customer = new Customer();
        mapper.update(form, customer);
        if (customer.getBirthday() != null && customer.getBirthday().isAfter(LocalDate.now(clock))) {
            throw new IllegalArgumentException("the birthday is in the future");
        }
        return customers.save(customer);
    }

    @Transactional
    public void recordPurchase(long customerId, BigDecimal amount) {
        Customer customer = customers.findById(customerId)
                .orElseThrow(() -> new IllegalArgumentException("no customer " + customerId));
        if (customer.addTurnover(amount)) {
            notifier.send(customer.getEmail(), "Welcome to " + customer.getTier(), "You have reached a new tier.");
        }
        customers.save(customer);
    }

    @Transactional
    public boolean block(String email, String reason) {
        Customer customer = customers.findByEmailIgnoreCase(email).orElse(null);
        if (customer == null || customer.isBlocked()) {
            return false;
        }
        customer.setBlocked(true);
        customers.save(customer);
        if (reason != null) {
            notifier.send(email, "Your account is blocked", reason);
        }
        return true;
    }

    /** Congratulates customers of a tier whose birthday is today; returns how many. */
    public int congratulate(CustomerTier tier) {
        LocalDate today = LocalDate.now(clock);
        List<Customer> all = customers.findByTierAndBlockedFalse(tier);
        int sent = 0;
        for (Customer customer : all) {
            LocalDate birthday = customer.getBirthday();
            if (birthday != null && birthday.getMonth() == today.getMonth()
                    && birthday.getDayOfMonth() == today.getDayOfMonth()) {
                notifier.send(customer.getEmail(), "Happy birthday", "Dear " + customer.displayName());
                sent++;
            }
        }
        return sent;
    }
}
