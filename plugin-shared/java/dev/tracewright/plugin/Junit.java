package dev.tracewright.plugin;

import java.io.File;
import java.io.IOException;
import java.util.Collection;
import java.util.zip.ZipFile;

/** The versions of JUnit on a class path, and the version that tests are written for. */
public final class Junit {
    private final boolean four;
    private final boolean five;

    private Junit(boolean four, boolean five) {
        this.four = four;
        this.five = five;
    }

    public static Junit on(Collection<File> classPath) {
        return new Junit(holds(classPath, "org/junit/Test.class"), holds(classPath, "org/junit/jupiter/api/Test.class"));
    }

    /**
     * The version to write for. {@code platform}: whether tests run on the JUnit platform, or
     * {@code null} where that is unknown. Old runners find no tests of JUnit 5.
     */
    public int version(Boolean platform) {
        return four && (!five || Boolean.FALSE.equals(platform)) ? 4 : 5;
    }

    /**
     * A remark for the user about the choice, or {@code null}. {@code setting}: the name of the
     * setting in a build file.
     */
    public String remark(Boolean platform, String setting) {
        if (four && five) {
            return "the test class path holds JUnit 4 and JUnit 5: tests are written for JUnit " + version(platform) + ", unless "
                    + setting + " says otherwise";
        }
        if (!four && !five) {
            return "there is no JUnit on the test class path: tests are written for JUnit 5, and compile once org.junit.jupiter:junit-jupiter is among the dependencies of tests";
        }
        if (five && Boolean.FALSE.equals(platform)) {
            return "tests are written for JUnit 5, the only one on the test class path, but are not run on its platform: call useJUnitPlatform()";
        }
        return null;
    }

    private static boolean holds(Collection<File> classPath, String member) {
        for (File entry : classPath) {
            if (entry.isDirectory() ? new File(entry, member).isFile() : entry.getName().endsWith(".jar") && hasMember(entry, member)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasMember(File jar, String member) {
        try (ZipFile zip = new ZipFile(jar)) {
            return zip.getEntry(member) != null;
        } catch (IOException unreadable) {
            return false; // the program names entries of the class path that cannot be read
        }
    }
}
