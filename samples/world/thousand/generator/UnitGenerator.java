import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a thousand classes, and one that makes an object of each. Runs before the sources are compiled. */
public class UnitGenerator {

    private static final int COUNT = 1000;

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0], "org/example/world/thousand/units");
        Files.createDirectories(folder);
        StringBuilder all = new StringBuilder("""
                package org.example.world.thousand.units;

                import java.util.ArrayList;
                import java.util.List;
                import org.example.world.thousand.Unit;

                /** Makes every unit. */
                public final class AllUnits {
                    private AllUnits() {
                    }

                    public static List<Unit> create() {
                        List<Unit> units = new ArrayList<>();
                """);
        for (int number = 0; number < COUNT; number++) {
            String name = "Unit%04d".formatted(number);
            Files.writeString(folder.resolve(name + ".java"), unit(name, number));
            all.append("        units.add(new ").append(name).append("());\n");
        }
        all.append("        return units;\n    }\n}\n");
        Files.writeString(folder.resolve("AllUnits.java"), all);
    }

    private static String unit(String name, int number) {
        return """
                package org.example.world.thousand.units;

                import java.util.Map;
                import java.util.TreeMap;
                import org.example.world.thousand.Unit;

                /** A unit of length. */
                public final class %1$s extends Unit {
                    private static final Map<String, Integer> ALIASES = new TreeMap<>();

                    static {
                        ALIASES.put("%1$s", %2$d);
                        ALIASES.put("u%2$d", %2$d);
                    }

                    public %1$s() {
                        super("u%2$d", %3$d);
                    }

                    @Override
                    public boolean isAlias(String text) {
                        return ALIASES.containsKey(text);
                    }
                }
                """.formatted(name, number, number % 97 + 1);
    }
}
