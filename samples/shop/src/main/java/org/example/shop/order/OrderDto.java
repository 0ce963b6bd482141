package org.example.shop.order;

import java.math.BigDecimal;
import java.util.List;
import lombok.Builder;
import lombok.Singular;
import lombok.Value;

@Value
@Builder(toBuilder = true)
public class OrderDto {
    String number;
    String status;
    String customer;
    BigDecimal total;
    String currency;
    @Singular
    List<OrderLineDto> lines;
}
