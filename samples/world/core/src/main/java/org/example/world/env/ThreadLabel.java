package org.example.world.env;

/** Lines of a log with the name and number of the thread. */
public class ThreadLabel {

    public String line(String message) {
        if (message == null) { // feasible: 2 of 2
            return "";
        }
        return "[" + Thread.currentThread().getName() + "] " + message;
    }

    @SuppressWarnings("deprecation") // threadId() came with Java 19
    public long number() {
        return Thread.currentThread().getId();
    }

    public boolean isMain() {
        return Thread.currentThread().getName().equals("main");
    }

    public static String pad(String name, int width) {
        if (width > 80) { // feasible: 2 of 2
            throw new IllegalArgumentException("too wide");
        }
        return name.length() >= width ? name : name + " ".repeat(width - name.length()); // feasible: 2 of 2
    }
}
