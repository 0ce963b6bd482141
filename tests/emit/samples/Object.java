package q;

/** Hides java.lang.Object in its package. */
public class Object {
    public int count = 1;

    public String text(java.lang.Object other) { return "q"; }

    public static java.lang.Object any(Object own) { return own; }
}
