package org.example.shop.catalog;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import org.example.shop.web.ApiErrors;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

class ProductControllerTest {

    private final ProductService service = mock(ProductService.class);
    private final MockMvc mvc = MockMvcBuilders
            .standaloneSetup(new ProductController(service, new ProductFormValidator(mock(ProductRepository.class))))
            .setControllerAdvice(new ApiErrors())
            .build();

    @Test
    void answersWithTheProduct() throws Exception {
        when(service.bySku("MAP-12341")).thenReturn(ProductDto.builder().sku("MAP-12341").name("Map").build());
        mvc.perform(get("/api/products/MAP-12341")).andExpect(status().isOk()).andExpect(jsonPath("$.name").value("Map"));
    }

    @Test
    void anUnknownProductIsNotFound() throws Exception {
        when(service.bySku("X")).thenThrow(new ProductNotFoundException("X"));
        mvc.perform(get("/api/products/X")).andExpect(status().isNotFound());
    }
}
