package dev.tracewright.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChoicesTest {
    @TempDir
    Path folder;

    @Test
    void platformsAreNamedLikeTheirJars() {
        assertEquals("linux-x86_64", Platform.of("Linux", "amd64"));
        assertEquals("linux-aarch64", Platform.of("Linux", "aarch64"));
        assertEquals("osx-aarch64", Platform.of("Mac OS X", "aarch64"));
        assertEquals("windows-x86_64", Platform.of("Windows 11", "amd64"));
        assertEquals("sunos-sparcv9", Platform.of("SunOS", "sparcv9"));
        String sentence = assertThrows(TracewrightException.class, () -> Platform.supported(List.of("plan9-mips"))).getMessage();
        assertTrue(sentence.startsWith("there is no Tracewright for " + Platform.ofHost() + " (only for plan9-mips): "), sentence);
    }

    private List<File> classPath(boolean four, boolean five) throws Exception {
        List<File> entries = new ArrayList<>(List.of(folder.resolve("missing.jar").toFile()));
        for (String member : new String[] {four ? "org/junit/Test.class" : null, five ? "org/junit/jupiter/api/Test.class" : null}) {
            if (member != null) {
                Path entry = Files.createTempDirectory(folder, "entry");
                Files.createDirectories(entry.resolve(member).getParent());
                Files.createFile(entry.resolve(member));
                entries.add(entry.toFile());
            }
        }
        return entries;
    }

    @Test
    void theVersionOfJunitFollowsFromTheClassPathAndTheRunner() throws Exception {
        Junit both = Junit.on(classPath(true, true));
        assertEquals(5, both.version(null));
        assertEquals(5, both.version(true));
        assertEquals(4, both.version(false));
        assertTrue(both.remark(false, "x").contains("tests are written for JUnit 4, unless x says otherwise"));
        Junit four = Junit.on(classPath(true, false));
        assertEquals(4, four.version(true));
        assertNull(four.remark(null, "x"));
        Junit five = Junit.on(classPath(false, true));
        assertEquals(5, five.version(false));
        assertNull(five.remark(null, "x"));
        assertTrue(five.remark(false, "x").contains("useJUnitPlatform()"));
        Junit none = Junit.on(classPath(false, false));
        assertEquals(5, none.version(null));
        assertTrue(none.remark(null, "x").startsWith("there is no JUnit on the test class path"));
    }

    @Test
    void argumentsAreLinesOfAFile() throws Exception {
        Path file = folder.resolve("new/arguments.txt");
        File there = Files.createDirectory(folder.resolve("a b")).toFile();
        new Arguments("generate").option("--seed", null).option("--steps", 7L).globs("--exclude", List.of("x.*", "y"))
                .globs("--classes", List.of()).classPath(List.of(there, new File("missing"), there)).write(file);
        assertEquals(List.of("generate", "--steps", "7", "--exclude", "x.*,y", "--classpath", there + File.pathSeparator + there),
                Files.readAllLines(file));
        String sentence = assertThrows(TracewrightException.class, () -> new Arguments("a\nb").write(file)).getMessage();
        assertEquals("an argument holds a line break: a\\nb", sentence);
    }

    @Test
    void testFilesWithoutAClassAreFound() throws Exception {
        Path tests = folder.resolve("tests/p");
        Files.createDirectories(tests);
        for (String name : new String[] {"HereTracewrightTest.java", "Here_2TracewrightTest.java", "GoneTracewrightTest.java", "HandTest.java"}) {
            Files.createFile(tests.resolve(name));
        }
        Path classes = Files.createDirectories(folder.resolve("classes/p")).getParent();
        Files.createFile(classes.resolve("p/package-info.class"));
        assertTrue(!TestFiles.hasClasses(List.of(classes.toFile(), new File("missing"))));
        Files.createFile(classes.resolve("p/Here.class"));
        assertTrue(TestFiles.hasClasses(List.of(classes.toFile())));
        assertEquals(List.of(tests.resolve("GoneTracewrightTest.java")), TestFiles.orphans(folder.resolve("tests"), List.of(classes.toFile())));
    }

    @Test
    void aRunIsRecordedBesideTheLastOne() throws Exception {
        Path sessions = folder.resolve("sessions");
        assertNull(TestFiles.recorded(sessions));
        for (long began : new long[] {7, 12, 9}) {
            Path run = TestFiles.session(sessions, began);
            assertEquals(sessions.resolve("run-" + began), run);
            Files.createDirectories(run);
            if (began != 12) {
                Files.createFile(run.resolve("1-2.session"));
            }
        }
        assertEquals(sessions.resolve("run-9"), TestFiles.recorded(sessions));
        // The one in which nothing was recorded goes, and all but the last of the others.
        assertEquals(sessions.resolve("run-20"), TestFiles.session(sessions, 20));
        assertEquals(List.of(sessions.resolve("run-9")), TestFiles.sessions(sessions));
        assertTrue(!Files.exists(sessions.resolve("run-12")));
        // A folder that is a session itself, as the program records it.
        assertEquals(sessions.resolve("run-9"), TestFiles.recorded(sessions.resolve("run-9")));
    }
}
