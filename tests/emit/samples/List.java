package p;

/** A class whose name means something else in java.util. */
public class List {
    public static List of(java.util.List<String> other) { return new List(); }

    public java.util.List<String> toList() { return new java.util.ArrayList<>(); }
}
