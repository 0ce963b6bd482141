package org.example.shop.order;

import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import lombok.RequiredArgsConstructor;
import org.springframework.stereotype.Service;

@Service
@RequiredArgsConstructor
public class OrderReportService {

    private final OrderRepository orders;

    /** Turnover for each currency; cancelled and returned orders do not count. */
    public Map<String, BigDecimal> turnover(LocalDate from, LocalDate to) {
        Map<String, BigDecimal> sums = new TreeMap<>();
        for (Order order : between(from, to)) {
            if (order.getStatus() == OrderStatus.CANCELLED || order.getStatus() == OrderStatus.RETURNED) {
                continue;
            }
            if (order.getTotal() != null) {
                sums.merge(order.getCurrency(), order.getTotal(), BigDecimal::add);
            }
        }
        return sums;
    }

    public List<String> bestSellers(LocalDate from, LocalDate to, int limit) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Order order : between(from, to)) {
            for (OrderLine line : order.getLines()) {
                counts.merge(line.getProduct().getSku(), line.getCount(), Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(limit)
                .map(entry -> entry.getKey() + " x " + entry.getValue())
                .collect(Collectors.toList());
    }

    public void write(LocalDate from, LocalDate to, Writer out) throws IOException {
        List<Order> all = between(from, to);
        out.write("number;status;pieces;total\n");
        int skipped = 0;
        for (Order order : all) {
            if (order.getNumber() == null) {
                skipped++;
                continue;
            }
            out.write(order.getNumber() + ";" + order.getStatus() + ";" + order.pieces() + ";");
            out.write(order.getTotal() == null
                    ? "-"
                    : order.getTotal().setScale(2, RoundingMode.HALF_UP) + " " + order.getCurrency());
            out.write('\n');
        }
        if (skipped > 0) {
            out.write("# " + skipped + " without a number\n");
        }
        out.flush();
    }

    private List<Order> between(LocalDate from, LocalDate to) {
        if (to.isBefore(from)) {
            throw new IllegalArgumentException(from + " is after " + to);
        }
        return orders.placedBetween(
                from.atStartOfDay().toInstant(ZoneOffset.UTC), to.plusDays(1).atStartOfDay().toInstant(ZoneOffset.UTC));
    }
}
