package org.example.shop.stock;

import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import lombok.RequiredArgsConstructor;
import lombok.extern.slf4j.Slf4j;
import org.springframework.stereotype.Service;

@Service
@Slf4j
@RequiredArgsConstructor
public class StockService {

    private final StockRepository levels;
    private final ReservationArchive archive;
    private final Clock clock;

    /** Reserves pieces for an order; false if there are not enough. */
    public boolean reserve(String sku, int count, String orderNumber) {
        if (count <= 0) {
            throw new IllegalArgumentException("cannot reserve " + count + " of " + sku);
        }
        StockLevel level = levels.find(sku).orElse(null);
        if (level == null || level.available() < count) {
            return false;
        }
        try {
            archive.insertAll(List.of(new Reservation(orderNumber, sku, count, clock.instant())));
        } catch (SQLException e) {
            log.error("cannot reserve {} for {}", sku, orderNumber, e);
            return false;
        }
        levels.save(new StockLevel(sku, level.onHand(), level.reserved() + count, level.minimum()));
        return true;
    }

    /** Gives the pieces of an order back; returns how many. */
    public int release(String orderNumber) {
        return finish(orderNumber, false);
    }

    /** Takes the pieces of an order out of the stock; returns how many. */
    public int commit(String orderNumber) {
        return finish(orderNumber, true);
    }

    private int finish(String orderNumber, boolean taken) {
        int pieces = 0;
        for (Reservation reservation : archive.findByOrder(orderNumber)) {
            StockLevel level = levels.find(reservation.getSku()).orElse(null);
            if (level == null) {
                log.warn("{} is reserved and unknown", reservation.getSku());
                continue;
            }
            int count = Math.min(reservation.getCount(), level.reserved());
            int onHand = taken ? Math.max(0, level.onHand() - count) : level.onHand();
            levels.save(new StockLevel(level.sku(), onHand, level.reserved() - count, level.minimum()));
            pieces += count;
        }
        try {
            archive.delete(orderNumber);
        } catch (SQLException e) {
            throw new IllegalStateException("the reservations of " + orderNumber + " stay", e);
        }
        return pieces;
    }
}
