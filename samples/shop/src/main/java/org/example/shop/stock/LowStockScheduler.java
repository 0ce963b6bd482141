package org.example.shop.stock;

import java.util.List;
import java.util.stream.Collectors;
import org.example.shop.order.OrderService;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
public class LowStockScheduler {

    @Autowired
    private StockRepository levels;

    @Autowired
    private OrderService orders;

    @Autowired
    private Notifier notifier;

    @Value("${shop.stock.recipient:}")
    private String recipient;

    @Value("${shop.stock.limit:20}")
    private int limit;

    private List<String> reported = List.of();

    @Scheduled(cron = "0 0 6 * * *")
    public void reportLowStock() {
        if (recipient == null || recipient.isEmpty()) {
            return;
        }
        List<StockLevel> low = levels.findLow(limit);
        List<String> skus = low.stream().map(StockLevel::sku).collect(Collectors.toList());
        if (skus.isEmpty() || skus.equals(reported)) {
            return;
        }
        StringBuilder text = new StringBuilder();
        for (StockLevel level : low) {
            text.append(level.sku()).append(": ").append(level.available());
            text.append(level.available() == 0 ? " (sold out)" : " of at least " + level.minimum()).append('\n');
        }
        notifier.send(recipient, low.size() == limit ? "At least " + limit + " products are low" : "Low stock",
                text.toString());
        reported = skus;
    }

    @Scheduled(fixedDelay = 3_600_000)
    public void cancelUnpaid() {
        int cancelled = orders.cancelUnpaid();
        if (cancelled > 0 && recipient != null && !recipient.isEmpty()) {
            notifier.send(recipient, "Unpaid orders", cancelled == 1 ? "One was cancelled" : cancelled + " were cancelled");
        }
    }
}
