package org.example.shop.stock;

/** Sends messages to people. */
public interface Notifier {

    void send(String recipient, String subject, String text);
}
