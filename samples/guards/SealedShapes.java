// Feature: a sealed type, taken apart by instanceof patterns
package samples.guards;

public class SealedShapes {
    sealed interface Shape permits Circle, Rectangle, Square { }

    record Circle(int radius) implements Shape { }

    record Rectangle(int width, int height) implements Shape { }

    record Square(int side) implements Shape { }

    private static Shape make(int kind, int a, int b) {
        if (kind == 1_001) {
            return new Circle(a);
        }
        return kind == 2_002 ? new Rectangle(a, b) : new Square(b);
    }

    public static boolean fits(int kind, int a, int b) {
        Shape shape = make(kind, a, b);
        if (shape instanceof Rectangle rectangle && rectangle.width() * 2 == rectangle.height() + 15 && rectangle.width() == 333) {
            return true; // goal: reached
        }
        return shape instanceof Circle circle && circle.radius() == 0;
    }
}
