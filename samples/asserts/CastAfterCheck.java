// Idea: a shape of a certain size has another class than its kind says
// Verdict: wrong, 2, 1000
package samples.asserts;

public class CastAfterCheck {

    interface Shape {
        int kind();
    }

    static class Circle implements Shape {
        public int kind() {
            return 1;
        }
    }

    static class Square implements Shape {
        final int side;

        Square(int side) {
            this.side = side;
        }

        public int kind() {
            return 2;
        }
    }

    static class LargeSquare implements Shape {
        public int kind() {
            return 2;
        }
    }

    static Shape create(int kind, int size) {
        if (kind == 1) {
            return new Circle();
        }
        return size < 1000 ? new Square(size) : new LargeSquare();
    }

    public static void main(String[] args) {
        int kind = Inputs.nextInt();
        int size = Inputs.nextInt();
        if (kind < 1 || kind > 2 || size < 1 || size > 1000) {
            return;
        }
        Shape shape = create(kind, size);
        if (shape.kind() == 2) {
            Square square = (Square) shape;
            assert square.side == size;
        }
    }
}
