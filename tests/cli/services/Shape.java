package services;

/** Members with the names of locals and classes in tests; package-private and protected methods. */
abstract class Shape {
    protected String text = "field";
    protected int number = 7;

    /** Hides the class of the package in the body of a subclass. */
    protected static class Owner {}

    abstract String label(Owner owner, services.Owner other);

    protected abstract int sides();

    boolean isNamed() {
        String label = label(new Owner(), null);
        return label != null && !label.equals(text);
    }
}
