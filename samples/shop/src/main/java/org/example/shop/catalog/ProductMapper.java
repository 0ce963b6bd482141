package org.example.shop.catalog;

import java.util.List;
import org.mapstruct.Mapper;
import org.mapstruct.Mapping;
import org.mapstruct.MappingTarget;

@Mapper(componentModel = "spring")
public interface ProductMapper {

    @Mapping(target = "category", expression = "java(categoryOf(product))")
    ProductDto toDto(Product product);

    List<ProductDto> toDtos(List<Product> products);

    @Mapping(target = "id", ignore = true)
    Product toEntity(ProductForm form);

    @Mapping(target = "id", ignore = true)
    @Mapping(target = "sku", ignore = true)
    void update(ProductForm form, @MappingTarget Product product);

    default String categoryOf(Product product) {
        return product.getCategory() == null ? "other" : product.getCategory().path();
    }
}
