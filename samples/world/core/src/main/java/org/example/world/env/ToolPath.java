package org.example.world.env;

import java.io.File;
import java.util.List;

/** The folders of the variable PATH. */
public class ToolPath {

    public List<String> folders() {
        String path = System.getenv("PATH");
        return path == null ? List.of() : parse(path); // environment: PATH
    }

    public int count() {
        return folders().size();
    }

    public static List<String> parse(String path) {
        if (path.isBlank()) { // feasible: 2 of 2
            return List.of();
        }
        return List.of(path.split(File.pathSeparator));
    }

    public static String shorten(String folder, int length) {
        if (length < 4) { // feasible: 2 of 2
            throw new IllegalArgumentException("too short");
        }
        if (folder.length() <= length) { // feasible: 2 of 2
            return folder;
        }
        return "..." + folder.substring(folder.length() - length + 3);
    }
}
