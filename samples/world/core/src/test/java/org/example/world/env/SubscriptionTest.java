package org.example.world.env;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Clock;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SubscriptionTest {

    @Test
    void anExtensionStartsNowOrAtTheEnd() {
        Clock clock = mock(Clock.class);
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        when(clock.instant()).thenReturn(start);
        Subscription subscription = new Subscription(clock);
        assertFalse(subscription.isActive());
        subscription.extend(2);
        assertEquals(2, subscription.daysLeft());
        when(clock.instant()).thenReturn(start.plusSeconds(86_400 * 10));
        assertEquals(start.plusSeconds(86_400 * 11), subscription.extend(1));
    }
}
