package org.example.world.env;

import java.nio.file.Path;

/** Paths relative to the working folder. */
public class WorkingFolder {

    public String absolute(String name) {
        return Path.of(name).toAbsolutePath().normalize().toString();
    }

    public String current() {
        return System.getProperty("user.dir");
    }

    public boolean isInside(String name) {
        return absolute(name).startsWith(current());
    }

    public static String extension(String name) {
        int dot = name.lastIndexOf('.');
        if (dot <= 0) { // feasible: 2 of 2
            return "";
        }
        return dot == name.length() - 1 ? "none" : name.substring(dot + 1); // feasible: 2 of 2
    }
}
