package services;

class ShapeService {
    static String describe(Shape shape) {
        if (shape.isNamed()) {
            return "named";
        }
        return shape.sides() > 4 ? "many" : "few";
    }
}
