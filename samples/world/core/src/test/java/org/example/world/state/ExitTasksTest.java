package org.example.world.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExitTasksTest {

    @AfterEach
    void cancel() {
        ExitTasks.cancel();
    }

    @Test
    void tasksRunOnce() {
        assertEquals(0, ExitTasks.runAll());
        StringBuilder done = new StringBuilder();
        assertEquals(1, ExitTasks.add(() -> done.append('a')));
        assertEquals(2, ExitTasks.add(() -> done.append('b')));
        assertEquals(2, ExitTasks.runAll());
        assertEquals("ba", done.toString());
    }
}
