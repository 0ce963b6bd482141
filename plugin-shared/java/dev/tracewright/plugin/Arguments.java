package dev.tracewright.plugin;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Arguments of the program, in a file that it reads, one a line. An option that is not given keeps
 * the program's default.
 */
public final class Arguments {
    private final List<String> lines = new ArrayList<>();

    public Arguments(String command) {
        lines.add(command);
    }

    public Arguments argument(Object value) {
        lines.add(value.toString());
        return this;
    }

    /** Adds an option; {@code null} adds nothing. */
    public Arguments option(String name, Object value) {
        if (value != null) {
            lines.add(name);
            lines.add(value.toString());
        }
        return this;
    }

    /** Adds an option without a value. */
    public Arguments flag(String name) {
        return flag(name, true);
    }

    /** The same, where it is wanted. */
    public Arguments flag(String name, boolean wanted) {
        if (wanted) {
            lines.add(name);
        }
        return this;
    }

    /** Adds names or globs, separated by commas; an empty list adds nothing. */
    public Arguments globs(String name, Collection<String> globs) {
        return globs == null || globs.isEmpty() ? this : option(name, String.join(",", globs));
    }

    /** Adds a class path. Entries that do not exist are left out, as {@code java} does. */
    public Arguments classPath(Collection<File> entries) {
        return option("--classpath", entries.stream().filter(File::exists).map(File::getPath).collect(Collectors.joining(File.pathSeparator)));
    }

    public List<String> lines() {
        return List.copyOf(lines);
    }

    public void write(Path file) throws TracewrightException {
        for (String line : lines) {
            if (line.indexOf('\n') >= 0) {
                throw new TracewrightException("an argument holds a line break: " + line.replace("\n", "\\n"));
            }
        }
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, lines);
        } catch (IOException error) {
            throw new TracewrightException("cannot write " + file + " (" + error.getMessage() + ")", error);
        }
    }
}
