package org.example.world.env;

/** An object without a text of its own: it prints its identity hash. */
public class DefaultText {

    private final int value;

    public DefaultText(int value) {
        this.value = value;
    }

    public String describe() {
        return "value of " + this;
    }

    public int compare(DefaultText other) {
        if (value == other.value) { // feasible: 2 of 2
            return 0;
        }
        return value < other.value ? -1 : 1; // feasible: 2 of 2
    }

    public String key() {
        return value < 0 ? "negative" : getClass().getName() + "@" + hashCode(); // feasible: 2 of 2
    }
}
