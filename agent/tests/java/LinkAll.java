import java.io.File;
import java.io.PrintStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Links every class of java.base, or of the jars that are named, or the boot loader's classes named
 * by {@code class:NAME}, and prints those that do not link. Initialises none of them.
 */
public class LinkAll {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        List<String> names = new ArrayList<>();
        if (arguments.length == 0) {
            Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules/java.base");
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.collect(Collectors.toList())) {
                    name(root.relativize(file).toString(), names);
                }
            }
        } else if (arguments[0].startsWith("class:")) {
            for (String argument : arguments) {
                names.add(argument.substring("class:".length()));
            }
        } else {
            for (String jar : arguments) {
                // The jar first, the others behind it: they may be its dependencies, or other releases of it.
                List<URL> urls = new ArrayList<>();
                urls.add(new File(jar).toURI().toURL());
                for (String other : arguments) {
                    urls.add(new File(other).toURI().toURL());
                }
                names.clear();
                try (JarFile file = new JarFile(jar)) {
                    file.stream().forEach(entry -> name(entry.getName(), names));
                }
                link(names, new URLClassLoader(urls.toArray(new URL[0])), out);
            }
            return;
        }
        link(names, null, out);
    }

    private static void link(List<String> names, ClassLoader loader, PrintStream out) {
        int linked = 0;
        int missing = 0;
        for (String name : names) {
            try {
                Class<?> type = Class.forName(name, false, loader);
                // HotSpot links a class before it lists its members.
                type.getDeclaredFields();
                linked++;
                out.println("LINKED " + name);
            } catch (Throwable failure) {
                boolean absent = failure instanceof NoClassDefFoundError || failure instanceof ClassNotFoundException
                        || failure instanceof UnsupportedClassVersionError;
                if (absent && !String.valueOf(failure).contains("Tracewright")) {
                    missing++; // a library's optional dependency
                } else {
                    out.println("FAIL " + name + ": " + String.valueOf(failure).replace('\n', ' '));
                }
            }
        }
        out.println("linked " + linked + " missing " + missing);
    }

    private static void name(String file, List<String> names) {
        if (file.endsWith(".class") && !file.endsWith("-info.class") && !file.startsWith("META-INF/")) {
            names.add(file.substring(0, file.length() - 6).replace('/', '.'));
        }
    }
}
