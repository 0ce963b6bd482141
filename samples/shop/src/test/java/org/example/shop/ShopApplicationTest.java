package org.example.shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.example.shop.catalog.ProductRepository;
import org.example.shop.stock.StockLevel;
import org.example.shop.stock.StockRepository;
import org.example.shop.stock.StockService;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The application starts on its database. */
@SpringBootTest
class ShopApplicationTest {

    @Autowired
    private ProductRepository products;

    @Autowired
    private StockRepository levels;

    @Autowired
    private StockService stock;

    @Test
    void findsAProductWithItsCategory() {
        assertEquals("Books / Maps", products.findBySku("MAP-12341").orElseThrow().getCategory().path());
    }

    @Test
    void reservesAndReleasesStock() {
        assertTrue(stock.reserve("MAP-12341", 8, "20260131-0001-1"));
        assertFalse(stock.reserve("MAP-12341", 3, "20260131-0002-9"));
        assertEquals(1, levels.findLow(10).size());
        assertEquals(8, stock.release("20260131-0001-1"));
        assertEquals(new StockLevel("MAP-12341", 10, 0, 3), levels.find("MAP-12341").orElseThrow());
    }
}
