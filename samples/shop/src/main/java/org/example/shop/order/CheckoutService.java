package org.example.shop.order;

import org.example.shop.customer.CustomerService;
import org.example.shop.order.OrderException.Reason;
import org.example.shop.payment.PaymentRequest;
import org.example.shop.payment.PaymentResult;
import org.example.shop.payment.PaymentGateway;
import org.example.shop.pricing.Money;
import org.example.shop.stock.Notifier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/** Pays orders. The collaborators are fields, as in older parts of the application. */
@Service
public class CheckoutService {

    @Autowired
    private OrderService orders;

    @Autowired
    private OrderRepository repository;

    @Autowired
    private PaymentGateway gateway;

    @Autowired
    private CustomerService customers;

    @Autowired(required = false)
    private Notifier notifier;

    @Value("${shop.payment.attempts:3}")
    private int maxAttempts;

    public Order pay(String number, String cardToken) throws OrderException {
        Order order = orders.byNumber(number);
        if (order.getStatus() != OrderStatus.NEW) {
            throw new OrderException(Reason.STATE, "the order is " + order.getStatus());
        }
        Money amount = new Money(order.getTotal(), order.getCurrency());
        for (int attempt = 1; attempt <= maxAttempts; attempt++) {
            PaymentResult result = gateway.charge(new PaymentRequest(number, amount, cardToken, attempt));
            if (result instanceof PaymentResult.Approved approved) {
                order.setPaymentReference(approved.getReference());
                repository.save(order);
                Order paid = orders.move(number, OrderStatus.PAID);
                if (order.getCustomer() != null && order.getCustomer().getId() != null) {
                    customers.recordPurchase(order.getCustomer().getId(), order.getTotal());
                }
                tell(order, "Thank you for your order");
                return paid;
            }
            if (result instanceof PaymentResult.Declined declined && declined.isFinal()) {
                tell(order, "Your payment was declined");
                throw new OrderException(Reason.PAYMENT, "declined: " + declined.getReason());
            }
            if (result instanceof PaymentResult.Unavailable unavailable
                    && unavailable.getRetryAfterSeconds() != null
                    && unavailable.getRetryAfterSeconds() > 60) {
                break;
            }
        }
        throw new OrderException(Reason.PAYMENT, "no payment after " + maxAttempts + " attempts");
    }

    private void tell(Order order, String subject) {
        if (notifier == null || order.getCustomer() == null || order.getCustomer().getEmail() == null) {
            return;
        }
        notifier.send(order.getCustomer().getEmail(), subject, "Your order " + order.getNumber());
    }
}
