package asserts;

public class Initials {
    public static String of(String name) {
        assert !name.startsWith(" ") : "blank before the name";
        return name.isEmpty() ? "" : name.substring(0, 1).toUpperCase();
    }
}
