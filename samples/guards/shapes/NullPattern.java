// Feature: null at certain places of a list, two objects at the others
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class NullPattern {
    public static class Stone {
    }

    private final Stone light;
    private final Stone dark;
    private final List<Stone> line = new ArrayList<>();

    public NullPattern(Stone light, Stone dark) {
        if (light == null || dark == null || light == dark) {
            throw new IllegalArgumentException("two stones are needed");
        }
        this.light = light;
        this.dark = dark;
    }

    public void lay(Stone stone) {
        line.add(stone);
    }

    public void skip() {
        line.add(null);
    }

    public boolean isPattern() {
        if (line.equals(Arrays.asList(light, null, null, dark, null, dark, null, light))) {
            return true; // goal: reached
        }
        return false;
    }
}
