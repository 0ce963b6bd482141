package org.example.shop.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mapstruct.factory.Mappers;
import org.mockito.InjectMocks;
import org.mockito.Mock;
import org.mockito.Spy;
import org.mockito.junit.jupiter.MockitoExtension;

@ExtendWith(MockitoExtension.class)
class ProductServiceTest {

    @Mock
    private ProductRepository products;

    @Spy
    private ProductMapper mapper = Mappers.getMapper(ProductMapper.class);

    @InjectMocks
    private ProductService service;

    @Test
    void raisesThePricesOfACategory() {
        Category maps = new Category("Maps", null);
        Product map = Product.builder().sku("MAP-12341").price(new BigDecimal("10.00")).status(ProductStatus.ACTIVE).build();
        when(products.findByCategoryAndStatus(maps, ProductStatus.ACTIVE)).thenReturn(List.of(map));
        assertEquals(List.of("MAP-12341"), service.raisePrices(maps, 5));
        assertEquals(new BigDecimal("10.50"), map.getPrice());
        verify(products).save(map);
    }

    @Test
    void discontinuesOnlyActiveProducts() {
        Product map = Product.builder().sku("MAP-12341").status(ProductStatus.ACTIVE).build();
        when(products.findBySku("MAP-12341")).thenReturn(Optional.of(map));
        assertTrue(service.discontinue("MAP-12341"));
        assertEquals(ProductStatus.DISCONTINUED, map.getStatus());
        ProductForm form = new ProductForm();
        form.setStatus(ProductStatus.ACTIVE);
        assertThrows(IllegalStateException.class, () -> service.update("MAP-12341", form));
    }
}
