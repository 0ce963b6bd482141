package org.example.world.thousand;

/** A unit of length; a thousand classes extend it. */
public abstract class Unit {

    private final String name;
    private final int length;

    protected Unit(String name, int length) {
        this.name = name;
        this.length = length;
    }

    public String name() {
        return name;
    }

    public int length() {
        return length;
    }

    /** Whether a text is another name of the unit. */
    public abstract boolean isAlias(String text);
}
