package hostile;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes and deletes files by every way the JDK has; inside the temporary folder that is harmless. */
public class TouchesFiles {
    public int write(String path) throws IOException {
        try (FileWriter writer = new FileWriter(path)) {
            writer.write("spoilt");
        }
        return 1;
    }

    public int writeBytes(String path) throws IOException {
        Files.write(Path.of(path), new byte[] {1});
        return 1;
    }

    public int writeRandomly(String path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            file.setLength(0);
        }
        return 1;
    }

    public long writeMapped(String path) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, 1).put((byte) 1).position();
        }
    }

    public boolean delete(String path) {
        return new File(path).delete();
    }

    public int deleteByPath(String path) throws IOException {
        Files.delete(Path.of(path));
        return 1;
    }

    public boolean rename(String path) {
        return new File(path).renameTo(new File(path + ".moved"));
    }

    public boolean makeFolder(String path) {
        return new File(path + ".folder").mkdir();
    }

    public String link(String path) throws IOException {
        return Files.createSymbolicLink(Path.of(path + ".link"), Path.of(path)).toString();
    }

    public boolean protect(String path) {
        return new File(path).setReadOnly();
    }

    public String inTemporaryFolder() throws IOException {
        File file = File.createTempFile("harmless", null);
        try (FileWriter writer = new FileWriter(file)) {
            writer.write("fine");
        }
        String text = Files.readString(file.toPath());
        file.delete();
        return text;
    }

    public boolean isHidden(String path) {
        return path.startsWith(".");
    }
}
