package org.example.world.state;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Formats that the service loader finds, kept in a static list that grows. */
public class Formats {

    /** A format of lines. */
    public interface Format {
        String name();

        String line(String key, int value);
    }

    /** The format that the project provides. */
    public static class PlainFormat implements Format {
        @Override
        public String name() {
            return "plain";
        }

        @Override
        public String line(String key, int value) {
            return value < 0 ? key : key + "=" + value; // feasible: 2 of 2
        }
    }

    private static final List<Format> FORMATS = new ArrayList<>();

    private static List<Format> all() {
        if (FORMATS.isEmpty()) { // feasible: 2 of 2
            ServiceLoader.load(Format.class, Formats.class.getClassLoader()).forEach(FORMATS::add);
        }
        return FORMATS;
    }

    public static void add(Format format) {
        if (format.name() == null || format.name().isEmpty()) { // feasible: 4 of 4
            throw new IllegalArgumentException("no name");
        }
        all().add(0, format);
    }

    public static String line(String name, String key, int value) {
        for (Format format : all()) { // feasible: 2 of 2
            if (format.name().equals(name)) { // feasible: 2 of 2
                return format.line(key, value);
            }
        }
        return "?";
    }

    public static int count() {
        return all().size();
    }

    public static void reload() {
        FORMATS.clear();
    }
}
