package org.example.shop.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import java.io.IOException;
import java.io.StringReader;
import org.example.shop.catalog.CategoryRepository;
import org.example.shop.catalog.ProductRepository;
import org.junit.jupiter.api.Test;

class ProductImporterTest {

    private final ProductRepository products = mock(ProductRepository.class);
    private final ProductImporter importer = new ProductImporter(products, mock(CategoryRepository.class));

    @Test
    void importsWhatItCan() throws IOException {
        ImportResult result = importer.run(new StringReader(
                "sku;name;price;grams;category\nMAP-1;\"A; B\";5,00;10;\nMAP-2;C;x;;\nMAP-1;D;1;1;\n"));
        assertEquals("1 created, 0 updated, 2 failed, first in line 3", result.summary());
        verify(products, times(1)).save(any());
    }
}
