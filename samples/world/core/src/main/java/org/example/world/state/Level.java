package org.example.world.state;

/** An enum whose constants can be changed. */
public enum Level {
    LOW(10),
    HIGH(100);

    private final int initial;
    private int limit;

    Level(int limit) {
        this.initial = limit;
        this.limit = limit;
    }

    public int getLimit() {
        return limit;
    }

    public void setLimit(int limit) {
        if (limit < 1) { // feasible: 2 of 2
            throw new IllegalArgumentException("limit: " + limit);
        }
        this.limit = limit;
    }

    public void restore() {
        limit = initial;
    }

    public static Level of(int value) {
        if (value <= LOW.limit) { // feasible: 2 of 2
            return LOW;
        }
        if (value <= HIGH.limit) { // feasible: 2 of 2
            return HIGH;
        }
        throw new IllegalArgumentException("above every limit: " + value);
    }
}
