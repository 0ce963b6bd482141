package org.example.shop.order;

import org.example.shop.customer.Customer;
import org.mapstruct.Mapper;
import org.mapstruct.Mapping;

@Mapper(componentModel = "spring")
public interface OrderMapper {

    OrderDto toDto(Order order);

    @Mapping(target = "sku", source = "product.sku")
    @Mapping(target = "name", source = "product.name")
    OrderLineDto toDto(OrderLine line);

    default String nameOf(Customer customer) {
        return customer == null ? "guest" : customer.displayName();
    }

    default String nameOf(OrderStatus status) {
        return status == null ? "unknown" : status.name().toLowerCase(java.util.Locale.ROOT);
    }
}
