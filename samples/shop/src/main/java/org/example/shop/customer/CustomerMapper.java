package org.example.shop.customer;

import org.mapstruct.Mapper;
import org.mapstruct.Mapping;
import org.mapstruct.MappingTarget;
import org.mapstruct.Named;

@Mapper(componentModel = "spring")
public abstract class CustomerMapper {

    @Mapping(target = "street", source = "address.street")
    @Mapping(target = "postcode", source = "address.postcode")
    @Mapping(target = "city", source = "address.city")
    @Mapping(target = "country", source = "address.country")
    public abstract CustomerForm toForm(Customer customer);

    @Mapping(target = "id", ignore = true)
    @Mapping(target = "tier", ignore = true)
    @Mapping(target = "turnover", ignore = true)
    @Mapping(target = "blocked", ignore = true)
    @Mapping(target = "email", qualifiedByName = "normalised")
    @Mapping(target = "address", source = "form")
    public abstract void update(CustomerForm form, @MappingTarget Customer customer);

    protected abstract Address address(CustomerForm form);

    @Named("normalised")
    protected String normalised(String email) {
        return email == null ? null : email.strip().toLowerCase(java.util.Locale.ROOT);
    }
}
