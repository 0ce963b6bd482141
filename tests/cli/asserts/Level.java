package asserts;

public enum Level {
    LOW, MIDDLE, HIGH;
    public Level next() {
        assert this != HIGH;
        return values()[ordinal() + 1];
    }
}
