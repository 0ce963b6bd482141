import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Links classes without initializing them, and prints a line for each: {@code name<TAB>ok} or the error.
 * Arguments: a file with class names, and the jar with the classes. Without a jar, they are classes of
 * the boot loader.
 */
public final class LinkAll {
    public static void main(String[] arguments) throws Exception {
        ClassLoader loader = null;
        if (arguments.length > 1) {
            URL[] jar = {Path.of(arguments[1]).toUri().toURL()};
            loader = new URLClassLoader(jar, ClassLoader.getPlatformClassLoader());
        }
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false, "UTF-8");
        for (String name : Files.readAllLines(Path.of(arguments[0]))) {
            out.println(name + "\t" + link(name, loader));
        }
        out.flush();
    }

    private static String link(String name, ClassLoader loader) {
        try {
            Class<?> loaded = Class.forName(name, false, loader);
            // HotSpot links, and so verifies, a class before it lists its members.
            loaded.getDeclaredConstructors();
            return "ok";
        } catch (VerifyError | ClassFormatError e) {
            return (e.getClass().getName() + ": " + e.getMessage()).replaceAll("\\s+", " ");
        } catch (ClassNotFoundException | LinkageError | TypeNotPresentException e) {
            // An optional dependency is missing, for the original class as well.
            return e.getClass().getName();
        }
    }
}
