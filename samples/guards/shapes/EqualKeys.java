// Feature: references that are equal in pairs, some the same object
package samples.guards.shapes;

import java.util.EnumMap;
import java.util.Map;

public class EqualKeys {
    public enum Door { FRONT, BACK, SIDE, CELLAR, ATTIC, SHED }

    public static class Key {
        private final int cut;

        public Key(int cut) {
            this.cut = cut;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.cut == cut;
        }

        @Override
        public int hashCode() {
            return cut;
        }
    }

    private final Map<Door, Key> keys = new EnumMap<>(Door.class);

    public void fit(Door door, Key key) {
        keys.put(door, key);
    }

    public boolean isPaired() {
        if (areSame(Door.FRONT, Door.SHED) && areSame(Door.BACK, Door.SIDE)
                && areSame(Door.CELLAR, Door.ATTIC) && areCopies(Door.FRONT, Door.BACK)
                && areCopies(Door.BACK, Door.ATTIC) && areCopies(Door.ATTIC, Door.SHED)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean areSame(Door one, Door other) {
        return keys.get(one) != null && keys.get(one) == keys.get(other);
    }

    private boolean areCopies(Door one, Door other) {
        return keys.get(one) != keys.get(other) && keys.get(one).equals(keys.get(other));
    }
}
