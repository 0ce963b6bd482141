package org.example.world.thousand;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class CatalogueTest {

    @Test
    void unitsAreFoundByNameAndAlias() {
        Catalogue catalogue = new Catalogue();
        assertEquals(1000, catalogue.size());
        assertSame(catalogue.find("u7"), catalogue.find("Unit0007"));
        assertNull(catalogue.find("none"));
        assertEquals(5, catalogue.convert(10, 0, 1));
        assertEquals(-1, catalogue.convert(10, 0, 1000));
        assertEquals("even", catalogue.describe(2));
    }
}
