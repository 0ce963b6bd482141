package dev.tracewright.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallationTest {
    @TempDir
    Path folder;

    private Path jar(String... entries) throws IOException {
        Path jar = Files.createTempFile(folder, "natives", ".jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (String entry : entries) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write(new byte[100_000]);
            }
        }
        return jar;
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(path -> path.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }

    @Test
    void nativesAreUnpackedOnce() throws Exception {
        Path jar = jar("bin/tracewright", "lib/libtracewright_agent.so", "META-INF/LICENSE");
        Path cache = folder.resolve("cache");
        Installation first = Installation.unpack(jar, cache);
        assertTrue(Files.isExecutable(first.program()));
        assertTrue(Files.isRegularFile(first.home().resolve("lib/libtracewright_agent.so")));
        assertFalse(Files.exists(first.home().resolve("META-INF")));
        FileTime time = Files.getLastModifiedTime(first.program());
        Installation second = Installation.unpack(jar, cache);
        assertEquals(first.home(), second.home());
        assertEquals(time, Files.getLastModifiedTime(second.program()));
        assertEquals(1, names(cache).size());
        Installation other = Installation.unpack(jar("bin/tracewright"), cache);
        assertFalse(other.home().equals(first.home()));
    }

    @Test
    void buildsAtTheSameTimeDoNotDisturbEachOther() throws Exception {
        Path jar = jar("bin/tracewright", "lib/a", "lib/b");
        Path cache = folder.resolve("cache");
        int builds = 8;
        CountDownLatch start = new CountDownLatch(builds);
        ExecutorService threads = Executors.newFixedThreadPool(builds);
        List<Future<Installation>> results = new ArrayList<>();
        for (int build = 0; build < builds; build++) {
            Callable<Installation> unpack = () -> {
                start.countDown();
                start.await();
                return Installation.unpack(jar, cache);
            };
            results.add(threads.submit(unpack));
        }
        for (Future<Installation> result : results) {
            assertEquals(3, Files.walk(result.get().home()).filter(Files::isRegularFile).count());
        }
        threads.shutdown();
        assertEquals(1, names(cache).size(), "nothing unfinished stays: " + names(cache));
    }

    @Test
    void whatCannotBeUsedIsNamed() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertSentence("cannot be unpacked into " + file.resolve("cache"), () -> Installation.unpack(jar("bin/tracewright"), file.resolve("cache")));
        assertSentence("no natives jar: it holds no bin/tracewright", () -> Installation.unpack(jar("lib/a"), folder.resolve("cache")));
        assertSentence("leads out of it", () -> Installation.unpack(jar("bin/../../../out"), folder.resolve("cache")));
        assertSentence("is no natives jar", () -> Installation.unpack(Files.writeString(folder.resolve("text.jar"), "no zip"), folder.resolve("cache")));
        assertSentence("cannot be read", () -> Installation.unpack(folder.resolve("missing.jar"), folder.resolve("cache")));
        assertSentence("there is no bin/tracewright in " + folder, () -> Installation.at(folder));
        Files.createDirectories(folder.resolve("bin"));
        Files.createFile(folder.resolve("bin/tracewright"));
        assertSentence("may not be run", () -> Installation.at(folder));
    }

    private static void assertSentence(String part, org.junit.jupiter.api.function.Executable wrong) {
        String sentence = assertThrows(TracewrightException.class, wrong).getMessage();
        assertTrue(sentence.contains(part), sentence);
    }
}
