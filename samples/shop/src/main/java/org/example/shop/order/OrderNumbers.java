package org.example.shop.order;

import java.time.Clock;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicInteger;
import lombok.RequiredArgsConstructor;
import org.springframework.stereotype.Component;

/** Numbers such as {@code 20260131-0007-3}: the day, a counter and a check digit. */
@Component
@RequiredArgsConstructor
public class OrderNumbers {

    private final Clock clock;
    private final AtomicInteger counter = new AtomicInteger();

    public String next() {
        String day = LocalDate.now(clock).format(DateTimeFormatter.BASIC_ISO_DATE);
        String body = day + "-" + String.format("%04d", counter.incrementAndGet() % 10_000);
        return body + "-" + checkDigit(body);
    }

    public static boolean isValid(String number) {
        if (number == null || !number.matches("\\d{8}-\\d{4}-\\d")) {
            return false;
        }
        return number.charAt(14) - '0' == checkDigit(number.substring(0, 13));
    }

    static int checkDigit(String body) {
        int sum = 0;
        int weight = 1;
        for (char c : body.toCharArray()) {
            if (c == '-') {
                continue;
            }
            int product = (c - '0') * weight;
            sum += product > 9 ? product - 9 : product;
            weight = 3 - weight;
        }
        return (10 - sum % 10) % 10;
    }
}
