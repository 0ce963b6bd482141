package org.example.shop.stock;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import lombok.RequiredArgsConstructor;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

@Repository
@RequiredArgsConstructor
public class StockRepository {

    private static final String COLUMNS = "sku, on_hand, reserved, minimum";

    private final JdbcTemplate jdbc;

    public Optional<StockLevel> find(String sku) {
        try {
            return Optional.ofNullable(
                    jdbc.queryForObject("select " + COLUMNS + " from stock where sku = ?", this::level, sku));
        } catch (EmptyResultDataAccessException e) {
            return Optional.empty();
        }
    }

    public List<StockLevel> findLow(int limit) {
        if (limit <= 0) {
            return List.of();
        }
        return jdbc.query(
                "select " + COLUMNS + " from stock where on_hand - reserved < minimum order by sku limit ?",
                this::level, limit);
    }

    public void save(StockLevel level) {
        int updated = jdbc.update("update stock set on_hand = ?, reserved = ?, minimum = ? where sku = ?",
                level.onHand(), level.reserved(), level.minimum(), level.sku());
        if (updated == 0) {
            jdbc.update("insert into stock (sku, on_hand, reserved, minimum) values (?, ?, ?, ?)",
                    level.sku(), level.onHand(), level.reserved(), level.minimum());
        }
    }

    private StockLevel level(ResultSet row, int number) throws SQLException {
        int minimum = row.getInt("minimum");
        if (row.wasNull()) {
            minimum = 1;
        }
        return new StockLevel(row.getString("sku"), row.getInt("on_hand"), row.getInt("reserved"), minimum);
    }
}
