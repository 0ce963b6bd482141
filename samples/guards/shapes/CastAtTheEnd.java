// Feature: six casts that succeed before one that fails
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class CastAtTheEnd {
    public static class Circle {
        Circle roll() {
            return this;
        }
    }

    public static class Square {
        Square tilt() {
            return this;
        }
    }

    public static class Star {
        Star shine() {
            return this;
        }
    }

    private final List<Object> parts = new ArrayList<>();

    public void add(Object part) {
        parts.add(part);
    }

    public boolean failsLate() {
        Object last = null;
        try {
            last = ((Circle) parts.get(0)).roll();
            last = ((Star) parts.get(1)).shine();
            last = ((Square) parts.get(2)).tilt();
            last = ((Circle) parts.get(3)).roll();
            last = ((Star) parts.get(4)).shine();
            last = ((Circle) parts.get(5)).roll();
            last = ((Square) parts.get(6)).tilt();
        } catch (ClassCastException wrong) {
            if (isOtherCircle(last) && parts.get(1) == parts.get(6)) {
                return true; // goal: reached
            }
        }
        return false;
    }

    private boolean isOtherCircle(Object part) {
        return part instanceof Circle && part == parts.get(5) && part != parts.get(0)
                && parts.get(0) == parts.get(3);
    }
}
