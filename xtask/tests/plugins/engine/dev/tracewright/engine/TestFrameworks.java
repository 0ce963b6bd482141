package dev.tracewright.engine;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.gradle.internal.impldep.org.objectweb.asm.ClassReader;
import org.gradle.internal.impldep.org.objectweb.asm.ClassWriter;
import org.gradle.internal.impldep.org.objectweb.asm.commons.ClassRemapper;
import org.gradle.internal.impldep.org.objectweb.asm.commons.Remapper;

/**
 * Writes Gradle's classes that run tests with the original names of test frameworks. The API jar has
 * renamed the packages of these frameworks, but the JVM of a test has only the frameworks of the user.
 * Arguments: the API jar, the folder for the classes.
 */
public final class TestFrameworks {
    private static final String RENAMED_PREFIX = "org/gradle/internal/impldep/";
    private static final String[] FRAMEWORKS = {"org/junit", "junit/", "org/opentest4j", "org/testng", "org/hamcrest"};
    private static final String[] PACKAGES = {"org/gradle/api/internal/tasks/testing/", "org/gradle/api/testing/toolchains/"};

    private TestFrameworks() {}

    public static void main(String[] arguments) throws Exception {
        Path target = Path.of(arguments[1]);
        try (ZipFile jar = new ZipFile(arguments[0])) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (!name.endsWith(".class") || !(name.startsWith(PACKAGES[0]) || name.startsWith(PACKAGES[1]))) {
                    continue;
                }
                byte[] bytes = jar.getInputStream(entry).readAllBytes();
                String text = new String(bytes, StandardCharsets.ISO_8859_1);
                if (originalName(text).equals(text)) {
                    continue;
                }
                ClassWriter writer = new ClassWriter(0);
                new ClassReader(bytes).accept(new ClassRemapper(writer, new OriginalNames()), 0);
                Path file = target.resolve(name);
                Files.createDirectories(file.getParent());
                Files.write(file, writer.toByteArray());
            }
        }
    }

    private static String originalName(String text) {
        String result = text;
        for (String framework : FRAMEWORKS) {
            result = result.replace(RENAMED_PREFIX + framework, framework);
            result = result.replace((RENAMED_PREFIX + framework).replace('/', '.'), framework.replace('/', '.'));
        }
        return result;
    }

    private static final class OriginalNames extends Remapper {
        @Override
        public String map(String name) {
            return originalName(name);
        }

        @Override
        public Object mapValue(Object value) {
            return value instanceof String ? originalName((String) value) : super.mapValue(value);
        }
    }
}
