package org.example.shop.order;

/** A business rule forbids what was asked for. */
public class OrderException extends Exception {

    private static final long serialVersionUID = 1;

    private final Reason reason;

    public OrderException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason getReason() {
        return reason;
    }

    public enum Reason {
        UNKNOWN_ORDER,
        UNKNOWN_CUSTOMER,
        UNKNOWN_PRODUCT,
        NOT_SOLD,
        OUT_OF_STOCK,
        PAYMENT,
        STATE
    }
}
