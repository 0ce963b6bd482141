package replay;

/** Pattern switches and record patterns (Java 21). */
public class Patterns {
    sealed interface Shape permits Circle, Square, Pair {
    }

    record Circle(int radius) implements Shape {
    }

    record Square(int side, String name) implements Shape {
    }

    record Pair(Shape left, Shape right) implements Shape {
    }

    enum Color {
        RED, GREEN, BLUE
    }

    sealed interface Tone permits Shade, Plain {
    }

    enum Shade implements Tone {
        DARK, LIGHT
    }

    record Plain(int value) implements Tone {
    }

    static Shape shape(int a, String s) {
        return a > 5 ? new Circle(a) : a > 0 ? new Square(a, s) : new Pair(new Circle(a), new Square(3, s));
    }

    public static int types(int a, String s) {
        return switch (shape(a, s)) {
            case Circle c when c.radius() > 8 -> 1;
            case Circle c -> 2;
            case Square(int side, String name) when name.length() > side -> 3;
            case Square q -> 4;
            case Pair(Circle(int radius), Square(var side, var name)) when radius < -1 -> 5;
            case Pair p -> 6;
        };
    }

    static Object object(int a, String s) {
        return switch (a) {
            case 0 -> s;
            case 1 -> null;
            case 2 -> 77;
            case 3 -> 'x';
            case 4 -> new int[2];
            case 5 -> 3L;
            default -> a;
        };
    }

    public static int objects(int a, String s) {
        return switch (object(a, s)) {
            case null -> -1;
            case String t when t.length() > 2 -> 1;
            case String t -> 2;
            case Integer i when i > 70 -> 3;
            case Integer i when i == -3 -> 9;
            case Integer i -> 4;
            case Character c -> 5;
            case int[] cells -> cells.length;
            default -> 7;
        };
    }

    public static int strings(String s) {
        return switch (s) {
            case "one" -> 1;
            case "abc" -> 2;
            case String t when t.length() == 2 -> 3;
            case "x" -> 4;
            case String t -> 5;
        };
    }

    public static int numbers(int a) {
        Integer boxed = a;
        return switch (boxed) {
            case 3 -> 1;
            case 5 -> 2;
            case Integer i when i > 6 -> 3;
            case -1 -> 4;
            case Integer i -> 5;
        };
    }

    static Color color(int a) {
        return a < 2 ? Color.RED : a < 5 ? Color.GREEN : Color.BLUE;
    }

    public static int enums(int a) {
        return switch (color(a)) {
            case RED -> 1;
            case Color c when a == 3 -> 2;
            case GREEN -> 3;
            case Color c -> 4;
        };
    }

    static Tone tone(int a) {
        return a < 2 ? Shade.DARK : a < 5 ? Shade.LIGHT : new Plain(a);
    }

    public static int qualified(int a) {
        return switch (tone(a)) {
            case Shade.DARK -> 1;
            case Shade.LIGHT -> 2;
            case Plain(int value) when value > 6 -> 3;
            case Plain p -> 4;
        };
    }

    public static int instances(int a, String s) {
        Shape shape = shape(a, s);
        if (shape instanceof Square(int side, String name) && name.equals("abc")) {
            return side;
        }
        return shape instanceof Pair(Circle(var radius), var right) && radius == -1 ? -1 : 0;
    }
}
