package org.example.shop.stock;

import lombok.extern.slf4j.Slf4j;
import org.springframework.stereotype.Component;

@Component
@Slf4j
public class LogNotifier implements Notifier {

    private int sent;

    @Override
    public void send(String recipient, String subject, String text) {
        if (recipient == null || recipient.isBlank()) {
            log.warn("nobody to send to: {}", subject);
            return;
        }
        sent++;
        log.info("to {}: {} ({} characters)", recipient, subject, text == null ? 0 : text.length());
    }

    public int getSent() {
        return sent;
    }
}
