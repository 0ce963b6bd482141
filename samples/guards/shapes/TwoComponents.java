// Feature: a graph of two components, a triangle and a square
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

public class TwoComponents {
    public static class Place {
        private final Set<Place> neighbours = new LinkedHashSet<>();

        private boolean hasTwoRoads() {
            return neighbours.size() == 2;
        }

        private Set<Place> component() {
            Set<Place> found = new LinkedHashSet<>(Set.of(this));
            List<Place> open = new ArrayList<>(found);
            while (!open.isEmpty()) {
                for (Place place : open.remove(0).neighbours) {
                    if (found.add(place)) {
                        open.add(place);
                    }
                }
            }
            return found;
        }
    }

    private final Set<Place> places = new LinkedHashSet<>();

    public void connect(Place one, Place other) {
        if (one == other) {
            throw new IllegalArgumentException("a road needs two ends");
        }
        one.neighbours.add(other);
        other.neighbours.add(one);
        places.add(one);
        places.add(other);
    }

    public boolean isSplit(Place one, Place other) {
        if (isRing(one.component(), 3) && isRing(other.component(), 4)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isRing(Set<Place> component, int size) {
        return component.size() == size && component.stream().allMatch(Place::hasTwoRoads)
                && places.containsAll(component) && places.size() == 7;
    }
}
