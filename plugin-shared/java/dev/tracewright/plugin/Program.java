package dev.tracewright.plugin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One run of {@code tracewright}. */
public final class Program {
    /**
     * Seconds that the program gets to end: it writes verified tests within five seconds after a
     * request to end.
     */
    private static final long PATIENCE_SECONDS = 8;
    private static final int INTERRUPTED = 130;
    private static final int CHANGED = 4;

    private Program() {}

    /**
     * Runs the program to its end in {@code folder}; its output goes to {@code said}, line by line.
     * Where this thread is interrupted, the program is asked to end and writes its results so far.
     * Throws one sentence for the user where the program fails.
     */
    public static void run(Installation installation, Arguments arguments, Path argumentFile, Path folder, Consumer<String> said)
            throws TracewrightException {
        arguments.write(argumentFile);
        ProcessBuilder builder = new ProcessBuilder(installation.program().toString(), "@" + argumentFile.toAbsolutePath());
        builder.directory(folder.toFile()).redirectErrorStream(true);
        Process process;
        try {
            process = builder.start();
            process.getOutputStream().close();
        } catch (IOException error) {
            throw new TracewrightException("cannot start " + installation.program() + " (" + error.getMessage() + ")", error);
        }
        Thread end = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(end);
        String[] sentence = {null};
        Thread reader = new Thread(() -> read(process, line -> {
            String problem = problem(line);
            if (problem != null && sentence[0] == null) {
                sentence[0] = problem;
            } else if (sentence[0] == null) {
                said.accept(line);
            }
        }), "tracewright output");
        reader.start();
        int status;
        try {
            status = process.waitFor();
            reader.join();
        } catch (InterruptedException stopped) {
            stop(process);
            Thread.currentThread().interrupt();
            throw new TracewrightException("interrupted: what was verified until then is written", stopped);
        } finally {
            forget(end);
        }
        if (status == INTERRUPTED) {
            throw new TracewrightException("interrupted: what was verified until then is written");
        }
        if (status == CHANGED && sentence[0] == null) {
            throw new TracewrightException("the behaviour differs from the earlier version");
        }
        if (status != 0) {
            throw new TracewrightException(sentence[0] == null ? "the program ended with status " + status : sentence[0]);
        }
    }

    /**
     * The problem that a line names, as the program or its parser of arguments writes it; else
     * {@code null}.
     */
    private static String problem(String line) {
        for (String prefix : new String[] {"tracewright: ", "error: "}) {
            if (line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
        return null;
    }

    private static void read(Process process, Consumer<String> line) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                line.accept(text);
            }
        } catch (IOException closed) {
            // The process was ended while it wrote: there is no more output.
        }
    }

    private static void stop(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException again) {
            process.destroyForcibly();
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The JVM is ending already, so the hook runs.
        }
    }
}
