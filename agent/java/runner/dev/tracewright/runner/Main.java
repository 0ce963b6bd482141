package dev.tracewright.runner;

import java.io.FileInputStream;
import java.io.FileOutputStream;

/**
 * Entry of the two JVMs that serve over pipes: {@code execute} runs test cases, {@code compile} compiles sources. The pipes are named by
 * their paths; standard streams carry nothing.
 */
public final class Main {
    private Main() {}

    /** Threads that code under test left running do not keep this JVM alive. */
    static void end() {
        try {
            Sink.disarm();
            Runtime.getRuntime().halt(0);
        } catch (Throwable refused) {
            // The engine ends us.
        }
    }

    public static void main(String[] arguments) throws Exception {
        // The writing end first: both sides open in the same order.
        Wire wire = new Wire(new FileInputStream(arguments[1]), new FileOutputStream(arguments[2]));
        try {
            if (arguments[0].equals("compile")) {
                new CompileServer(wire).serve();
            } else {
                new Session(wire).serve();
            }
        } catch (Throwable thrown) {
            wire.fatal(thrown);
        }
        end();
    }
}
