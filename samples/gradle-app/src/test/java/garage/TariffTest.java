package garage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TariffTest {
    @Test
    void aStartedHourCosts() {
        assertEquals(400, new Tariff(15, 200, 1200).price(61));
    }
}
