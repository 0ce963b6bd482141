package org.example.world.env;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Visits places in the order of a set whose elements have identity hashes. */
public class VisitOrder {

    /** A place; it has neither equals nor hashCode. */
    public static class Place {
        private final String name;

        public Place(String name) {
            this.name = name;
        }

        public String name() {
            return name;
        }
    }

    private final Set<Place> places = new HashSet<>();

    public void add(String name) {
        if (name.isEmpty()) { // feasible: 2 of 2
            throw new IllegalArgumentException("no name");
        }
        if (places.size() < 50) { // feasible: 2 of 2
            places.add(new Place(name));
        }
    }

    public List<String> route() {
        List<String> route = new ArrayList<>();
        for (Place place : places) { // feasible: 2 of 2
            route.add(place.name());
        }
        return route;
    }

    public String first() {
        return places.isEmpty() ? "nowhere" : route().get(0); // feasible: 2 of 2
    }
}
