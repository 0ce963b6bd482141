package org.example.world.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SlowChainTest {

    @Test
    void aFeeIsLimited() {
        assertEquals(0, new SlowChain().fee(0));
        assertEquals(39, new SlowChain().fee(39));
        assertEquals(40, new SlowChain().fee(41));
    }
}
