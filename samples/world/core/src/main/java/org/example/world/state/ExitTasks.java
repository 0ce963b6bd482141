package org.example.world.state;

import java.util.ArrayDeque;
import java.util.Deque;

/** Tasks that a shutdown hook runs; the first task installs the hook. */
public class ExitTasks {

    private static final Deque<Runnable> TASKS = new ArrayDeque<>();
    private static Thread hook;

    public static int add(Runnable task) {
        if (task == null) { // feasible: 2 of 2
            throw new IllegalArgumentException("no task");
        }
        if (hook == null) { // feasible: 2 of 2
            hook = new Thread(ExitTasks::runAll, "exit tasks");
            Runtime.getRuntime().addShutdownHook(hook);
        }
        TASKS.push(task);
        return TASKS.size();
    }

    public static int runAll() {
        int done = 0;
        while (!TASKS.isEmpty()) { // feasible: 2 of 2
            TASKS.pop().run();
            done++;
        }
        return done;
    }

    public static void cancel() {
        TASKS.clear();
        if (hook != null) { // feasible: 2 of 2
            Runtime.getRuntime().removeShutdownHook(hook);
            hook = null;
        }
    }
}
