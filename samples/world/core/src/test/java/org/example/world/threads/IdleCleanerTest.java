package org.example.world.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class IdleCleanerTest {

    @Test
    void tasksRun() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        new IdleCleaner().clean(done::countDown);
        done.await();
        assertEquals(3, IdleCleaner.share(7, 3));
        assertEquals(7, IdleCleaner.share(7, 0));
    }
}
