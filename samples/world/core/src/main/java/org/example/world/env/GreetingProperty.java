package org.example.world.env;

/** A greeting that a system property can replace. */
public class GreetingProperty {

    public static final String KEY = "org.example.world.greeting";

    public String greet(String name) {
        if (name == null || name.isBlank()) { // feasible: 4 of 4
            throw new IllegalArgumentException("no name");
        }
        String greeting = System.getProperty(KEY);
        if (greeting == null) { // environment: a system property
            greeting = "Hello";
        }
        return greeting + ", " + name + (name.endsWith("!") ? "" : "!"); // feasible: 2 of 2
    }

    public int limit() {
        return Integer.getInteger(KEY + ".limit", 10);
    }
}
