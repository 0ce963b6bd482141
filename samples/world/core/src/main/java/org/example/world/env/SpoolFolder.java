package org.example.world.env;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;

/** Keeps files in a folder of its own below the temporary folder. */
public class SpoolFolder {

    private final File folder;
    private int files;

    public SpoolFolder() throws IOException {
        folder = Files.createTempDirectory("spool").toFile();
    }

    public File spool(int bytes) throws IOException {
        if (bytes < 0 || bytes > 4096) { // feasible: 4 of 4
            throw new IllegalArgumentException("bytes: " + bytes);
        }
        File file = new File(folder, "job" + files++);
        Files.write(file.toPath(), new byte[bytes]);
        return file;
    }

    public int count() {
        return files;
    }

    public static String state(int files) {
        return files == 0 ? "empty" : files > 10 ? "full" : "busy"; // feasible: 4 of 4
    }
}
