// Idea: a square is a rectangle with two equal sides
// Verdict: right, both classes compute the area in the same way; paths: few
package samples.asserts;

public class SquareAndRectangle {

    interface Shape {
        int area();
    }

    static class Rectangle implements Shape {
        private final int width;
        private final int height;

        Rectangle(int width, int height) {
            this.width = width;
            this.height = height;
        }

        public int area() {
            return width * height;
        }
    }

    static class Square extends Rectangle {
        Square(int side) {
            super(side, side);
        }
    }

    public static void main(String[] args) {
        int side = Inputs.nextInt();
        if (side < 0 || side > 100) {
            return;
        }
        Shape square = new Square(side);
        Shape rectangle = new Rectangle(side, side + 1);
        assert square.area() >= 0;
        assert rectangle.area() - square.area() == side;
        assert square instanceof Rectangle && !(rectangle instanceof Square);
    }
}
