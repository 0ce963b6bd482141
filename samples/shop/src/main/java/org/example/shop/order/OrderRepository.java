package org.example.shop.order;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.query.Param;

public interface OrderRepository extends JpaRepository<Order, Long> {

    Optional<Order> findByNumber(String number);

    List<Order> findByStatusAndPlacedAtBefore(OrderStatus status, Instant limit);

    @Query("select o from Order o where o.placedAt >= :from and o.placedAt < :to order by o.placedAt")
    List<Order> placedBetween(@Param("from") Instant from, @Param("to") Instant to);
}
