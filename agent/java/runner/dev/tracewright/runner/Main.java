package dev.tracewright.runner;

import java.io.FileInputStream;
import java.io.FileOutputStream;

/**
 * Entry of the two JVMs that serve over pipes: {@code execute} runs test cases, {@code compile}
 * compiles sources. The arguments name the pipes; standard streams carry nothing.
 */
public final class Main {
    /** Set where this JVM writes an archive of its classes, which only happens at an orderly end. */
    private static final boolean LEAVES_CLASSES = Boolean.getBoolean("tracewright.leaves.classes");

    private Main() {}

    /** Ends this JVM, even where threads of code under test still run. */
    static void end() {
        try {
            Sink.disarm();
            if (LEAVES_CLASSES) {
                System.exit(0);
            }
            Runtime.getRuntime().halt(0);
        } catch (Throwable refused) {
            // The engine ends this process.
        }
    }

    public static void main(String[] arguments) throws Exception {
        // The writing end comes first: both sides must open the pipes in the same order.
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
