package org.example.shop.stock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.stereotype.Repository;

/** Reservations by plain JDBC. */
@Repository
public class ReservationArchive {

    private final DataSource source;

    public ReservationArchive(DataSource source) {
        this.source = source;
    }

    public List<Reservation> findByOrder(String orderNumber) {
        String sql = "select sku, count, reserved_at from reservation where order_number = ?";
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, orderNumber);
            List<Reservation> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Timestamp at = rows.getTimestamp(3);
                    found.add(new Reservation(
                            orderNumber, rows.getString(1), rows.getInt(2), at == null ? null : at.toInstant()));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException("cannot read reservations of " + orderNumber, e);
        }
    }

    public void insertAll(List<Reservation> reservations) throws SQLException {
        if (reservations.isEmpty()) {
            return;
        }
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement(
                    "insert into reservation (order_number, sku, count, reserved_at) values (?, ?, ?, ?)")) {
                for (Reservation reservation : reservations) {
                    statement.setString(1, reservation.getOrderNumber());
                    statement.setString(2, reservation.getSku());
                    statement.setInt(3, reservation.getCount());
                    statement.setTimestamp(4,
                            reservation.getAt() == null ? null : Timestamp.from(reservation.getAt()));
                    statement.addBatch();
                }
                for (int count : statement.executeBatch()) {
                    if (count != 1) {
                        throw new SQLException("a reservation was not inserted");
                    }
                }
                connection.commit();
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    public int delete(String orderNumber) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("delete from reservation where order_number = ?")) {
            statement.setString(1, orderNumber);
            return statement.executeUpdate();
        }
    }
}
