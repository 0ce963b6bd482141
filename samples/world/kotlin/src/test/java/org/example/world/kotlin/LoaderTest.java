package org.example.world.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import org.junit.jupiter.api.Test;

class LoaderTest {

    @Test
    void textsAreLoadedOnce() throws Exception {
        Loader loader = new Loader();
        assertFalse(loader.isLoaded(2));
        String text = BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, next) -> loader.load(2, next));
        assertEquals("even 2", text);
        assertTrue(loader.isLoaded(2));
    }
}
