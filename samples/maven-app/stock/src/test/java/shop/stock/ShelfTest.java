package shop.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ShelfTest {
    @Test
    void noMoreIsTakenThanThereIs() {
        Shelf shelf = new Shelf();
        shelf.put("lamp", 3);
        assertEquals(3, shelf.take("lamp", 5));
        assertEquals(0, shelf.count("lamp"));
    }
}
