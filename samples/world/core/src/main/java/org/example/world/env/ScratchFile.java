package org.example.world.env;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a new file into the temporary folder. */
public class ScratchFile {

    public Path write(String text) throws IOException {
        if (text.length() > 1000) { // feasible: 2 of 2
            throw new IllegalArgumentException("too long");
        }
        Path file = Files.createTempFile("scratch", ".txt");
        Files.writeString(file, text);
        return file;
    }

    public Path copy(Path folder, String name) throws IOException {
        if (!Files.isDirectory(folder)) { // feasible: 2 of 2
            throw new IllegalArgumentException("not a folder: " + folder);
        }
        Path file = folder.resolve(name.isEmpty() ? "copy.txt" : name); // feasible: 2 of 2
        Files.writeString(file, name);
        return file;
    }
}
