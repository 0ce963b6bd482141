package org.example.shop.payment;

public interface PaymentGateway {

    PaymentResult charge(PaymentRequest request);
}
