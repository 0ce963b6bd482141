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
 * In the API jar, Gradle's classes that run tests name test frameworks by the packages that the jar has moved them to. In the JVM of a test there are only
 * the user's: this writes those classes with the true names. Arguments: the jar, the folder for the classes.
 */
public final class TestFrameworks {
    private static final String MOVED = "org/gradle/internal/impldep/";
    private static final String[] FRAMEWORKS = {"org/junit", "junit/", "org/opentest4j", "org/testng", "org/hamcrest"};
    private static final String[] PLACES = {"org/gradle/api/internal/tasks/testing/", "org/gradle/api/testing/toolchains/"};

    private TestFrameworks() {}

    public static void main(String[] arguments) throws Exception {
        Path target = Path.of(arguments[1]);
        try (ZipFile jar = new ZipFile(arguments[0])) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (!name.endsWith(".class") || !(name.startsWith(PLACES[0]) || name.startsWith(PLACES[1]))) {
                    continue;
                }
                byte[] bytes = jar.getInputStream(entry).readAllBytes();
                String text = new String(bytes, StandardCharsets.ISO_8859_1);
                if (trueName(text).equals(text)) {
                    continue;
                }
                ClassWriter writer = new ClassWriter(0);
                new ClassReader(bytes).accept(new ClassRemapper(writer, new TrueNames()), 0);
                Path file = target.resolve(name);
                Files.createDirectories(file.getParent());
                Files.write(file, writer.toByteArray());
            }
        }
    }

    private static String trueName(String text) {
        String result = text;
        for (String framework : FRAMEWORKS) {
            result = result.replace(MOVED + framework, framework);
            result = result.replace((MOVED + framework).replace('/', '.'), framework.replace('/', '.'));
        }
        return result;
    }

    private static final class TrueNames extends Remapper {
        @Override
        public String map(String name) {
            return trueName(name);
        }

        @Override
        public Object mapValue(Object value) {
            return value instanceof String ? trueName((String) value) : super.mapValue(value);
        }
    }
}
