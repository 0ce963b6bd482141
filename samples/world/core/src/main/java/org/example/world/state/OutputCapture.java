package org.example.world.state;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** Replaces the standard output of the JVM. */
public class OutputCapture {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private PrintStream original;

    public void start() {
        if (original != null) { // feasible: 2 of 2
            throw new IllegalStateException("started already");
        }
        original = System.out;
        System.setOut(new PrintStream(bytes, true));
    }

    public String stop() {
        if (original == null) { // feasible: 2 of 2
            return "";
        }
        System.setOut(original);
        original = null;
        return bytes.toString();
    }

    public static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end); // feasible: 2 of 2
    }
}
