package dev.tracewright.plugin;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Class files and the test files that belong to them. */
public final class TestFiles {
    private static final String SUFFIX = "TracewrightTest.java";
    private static final String RUN = "run-";

    private TestFiles() {}

    /** Whether a folder holds a class file other than those of modules and packages. */
    public static boolean hasClasses(Collection<File> folders) {
        for (File folder : folders) {
            if (!folder.isDirectory()) {
                continue;
            }
            try (Stream<Path> walk = Files.walk(folder.toPath())) {
                if (walk.map(path -> path.getFileName().toString()).anyMatch(name -> name.endsWith(".class") && !name.endsWith("-info.class"))) {
                    return true;
                }
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
        return false;
    }

    /** Test files below a folder, in order. */
    public static List<Path> in(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk.filter(path -> path.getFileName().toString().endsWith(SUFFIX)).sorted().collect(Collectors.toList());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /**
     * The folder for the session of a test run. Its name is the time at which the build began:
     * goals of one build share it, and builds do not delete each other's sessions. Of earlier
     * sessions, the last one with records stays.
     */
    public static Path session(Path sessions, long buildBegan) throws IOException {
        Path mine = sessions.resolve(RUN + buildBegan);
        Path last = recorded(sessions);
        for (Path run : runs(sessions)) {
            if (!run.equals(mine) && !run.equals(last)) {
                delete(run);
            }
        }
        return mine;
    }

    /**
     * The newest session: the folder itself where it is a session, else the newest in it; {@code
     * null} where there is none.
     */
    public static Path recorded(Path sessions) throws IOException {
        if (isSession(sessions)) {
            return sessions;
        }
        Path last = null;
        for (Path run : runs(sessions)) {
            if (isSession(run)) {
                last = run;
            }
        }
        return last;
    }

    /** The folders in a folder that hold a session, sorted by name. */
    public static List<Path> sessions(Path folder) throws IOException {
        List<Path> sessions = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> list = Files.list(folder)) {
                for (Path path : list.sorted().collect(Collectors.toList())) {
                    if (isSession(path)) {
                        sessions.add(path);
                    }
                }
            }
        }
        return sessions;
    }

    private static List<Path> runs(Path sessions) throws IOException {
        if (!Files.isDirectory(sessions)) {
            return List.of();
        }
        try (Stream<Path> list = Files.list(sessions)) {
            return list.filter(path -> path.getFileName().toString().matches(RUN + "[0-9]+"))
                    .sorted(Comparator.comparingLong(path -> Long.parseLong(path.getFileName().toString().substring(RUN.length()))))
                    .collect(Collectors.toList());
        }
    }

    private static boolean isSession(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> list = Files.list(folder)) {
            return list.anyMatch(path -> path.getFileName().toString().endsWith(".session"));
        }
    }

    /** Deletes a folder with its content, where it exists. */
    public static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = walk.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    /** Test files whose class is in none of the folders. */
    public static List<Path> orphans(Path tests, Collection<File> classFolders) {
        List<Path> orphans = new ArrayList<>();
        for (Path file : in(tests)) {
            String relative = tests.relativize(file).toString();
            // The second and further test files of a class have a number.
            String name = relative.substring(0, relative.length() - SUFFIX.length()).replaceFirst("_[0-9]+$", "");
            String classFile = name + ".class";
            if (classFolders.stream().noneMatch(folder -> new File(folder, classFile).isFile())) {
                orphans.add(file);
            }
        }
        return orphans;
    }
}
