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

    private TestFiles() {}

    /** Whether a folder holds a class file besides those of modules and packages. */
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

    /** A folder with all that is in it, where it exists. */
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

    /** Test files whose class is in none of the folders any more. */
    public static List<Path> orphans(Path tests, Collection<File> classFolders) {
        List<Path> orphans = new ArrayList<>();
        for (Path file : in(tests)) {
            String relative = tests.relativize(file).toString();
            String classFile = relative.substring(0, relative.length() - SUFFIX.length()) + ".class";
            if (classFolders.stream().noneMatch(folder -> new File(folder, classFile).isFile())) {
                orphans.add(file);
            }
        }
        return orphans;
    }
}
