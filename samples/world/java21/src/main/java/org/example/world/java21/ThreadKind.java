package org.example.world.java21;

/** Names of virtual threads, with patterns of Java 21. */
public class ThreadKind {

    /** What may be drawn. */
    public sealed interface Shape permits Circle, Box {
    }

    /** A circle. */
    public record Circle(int radius) implements Shape {
    }

    /** A box. */
    public record Box(int width, int height) implements Shape {
    }

    public int area(Shape shape) {
        return switch (shape) { // feasible: 3 of 3
            case Circle circle when circle.radius() < 0 -> 0; // feasible: 2 of 2
            case Circle circle -> 3 * circle.radius() * circle.radius();
            case Box box -> box.width() * box.height();
        };
    }

    public String current() {
        Thread thread = Thread.currentThread();
        return thread.isVirtual() ? "virtual" : "platform " + thread.threadId(); // environment: the thread
    }

    public String label(int number) {
        if (number < 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("negative");
        }
        return number == 0 ? "first" : "next"; // feasible: 2 of 2
    }
}
