package org.example.world.state;

/** Sets the handler of all uncaught exceptions of the JVM. */
public class ErrorHandler implements Thread.UncaughtExceptionHandler {

    private int errors;

    @Override
    public void uncaughtException(Thread thread, Throwable error) {
        if (error instanceof RuntimeException) { // feasible: 2 of 2
            errors++;
        } else {
            errors += 10;
        }
    }

    public void install() {
        Thread.setDefaultUncaughtExceptionHandler(this);
    }

    public boolean isInstalled() {
        return Thread.getDefaultUncaughtExceptionHandler() == this; // feasible: 2 of 2
    }

    public static void remove() {
        Thread.setDefaultUncaughtExceptionHandler(null);
    }

    public String state() {
        return errors == 0 ? "calm" : errors < 10 ? "uneasy" : "alarmed"; // feasible: 4 of 4
    }
}
