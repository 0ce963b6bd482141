package org.example.world.thousand;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.example.world.thousand.units.AllUnits;

/** Draws in a thousand classes when it is made. */
public class Catalogue {

    private final List<Unit> units = AllUnits.create();
    private final Map<String, Unit> byName = new HashMap<>();

    public Catalogue() {
        for (Unit unit : units) { // feasible: 2 of 2
            byName.put(unit.name(), unit);
        }
    }

    public int size() {
        return units.size();
    }

    public Unit find(String text) {
        if (text == null || text.isEmpty()) { // feasible: 4 of 4
            throw new IllegalArgumentException("no name");
        }
        Unit unit = byName.get(text);
        if (unit != null) { // feasible: 2 of 2
            return unit;
        }
        for (Unit other : units) { // feasible: 2 of 2
            if (other.isAlias(text)) { // feasible: 2 of 2
                return other;
            }
        }
        return null;
    }

    public int convert(int value, int from, int to) {
        if (from < 0 || from >= units.size() || to < 0 || to >= units.size()) { // feasible: 8 of 8
            return -1;
        }
        if (from == to) { // feasible: 2 of 2
            return value;
        }
        return Math.multiplyExact(value, units.get(from).length()) / units.get(to).length();
    }

    public String describe(int length) {
        if (length <= 0) { // feasible: 2 of 2
            return "none";
        }
        if (length > 97) { // feasible: 2 of 2
            return "too long";
        }
        return length % 2 == 0 ? "even" : "odd"; // feasible: 2 of 2
    }
}
