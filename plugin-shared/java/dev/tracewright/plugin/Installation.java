package dev.tracewright.plugin;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** A folder with the program and its libraries: {@code bin/tracewright} and {@code lib}. */
public final class Installation {
    private static final boolean WINDOWS = Platform.ofHost().startsWith("windows");
    private static final String PROGRAM = WINDOWS ? "bin/tracewright.exe" : "bin/tracewright";

    private final Path home;

    private Installation(Path home) {
        this.home = home;
    }

    /** The installation in a folder that the user named. */
    public static Installation at(Path home) throws TracewrightException {
        if (!Files.isRegularFile(home.resolve(PROGRAM))) {
            throw new TracewrightException("there is no " + PROGRAM + " in " + home + ", which " + Release.HOME_PROPERTY + " or "
                    + Release.HOME_VARIABLE + " names");
        }
        return new Installation(home).runnable();
    }

    /**
     * The installation in a natives jar. It is unpacked into a folder of {@code cache} whose name
     * depends on the content of the jar. Several builds may unpack it at the same time: the folder
     * is renamed into place when it is complete.
     */
    public static Installation unpack(Path jar, Path cache) throws TracewrightException {
        Path home = cache.resolve(contentHash(jar));
        if (!Files.isRegularFile(home.resolve(PROGRAM))) {
            try {
                Files.createDirectories(cache);
                Path unfinished = Files.createTempDirectory(cache, "unfinished-");
                try {
                    extract(jar, unfinished);
                    publish(unfinished, home);
                } finally {
                    TestFiles.delete(unfinished);
                }
            } catch (ZipException error) {
                throw new TracewrightException(jar + " is no natives jar: " + error.getMessage(), error);
            } catch (IOException error) {
                throw new TracewrightException("Tracewright cannot be unpacked into " + cache + " (" + reason(error) + "): name a folder that can be written to with "
                        + Release.CACHE_PROPERTY + " or " + Release.CACHE_VARIABLE, error);
            }
            if (!Files.isRegularFile(home.resolve(PROGRAM))) {
                throw new TracewrightException(jar + " is no natives jar: it holds no " + PROGRAM);
            }
        }
        return new Installation(home).runnable();
    }

    public Path home() {
        return home;
    }

    public Path program() {
        return home.resolve(PROGRAM);
    }

    /** The agent library for {@code -agentpath}. */
    public Path agent() {
        return home.resolve("lib").resolve(System.mapLibraryName("tracewright_agent"));
    }

    private Installation runnable() throws TracewrightException {
        if (!Files.isExecutable(program())) {
            throw new TracewrightException(program() + " may not be run: it lies on a file system that is mounted noexec, or has lost its permission; name another folder with "
                    + Release.CACHE_PROPERTY + " or " + Release.CACHE_VARIABLE);
        }
        return this;
    }

    private static String contentHash(Path jar) throws TracewrightException {
        try (InputStream in = Files.newInputStream(jar)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 16];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
            StringBuilder text = new StringBuilder();
            for (byte value : digest.digest()) {
                text.append(String.format("%02x", value));
            }
            return text.substring(0, 32);
        } catch (IOException error) {
            throw new TracewrightException("the natives jar " + jar + " cannot be read (" + reason(error) + ")", error);
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error); // every JVM has SHA-256
        }
    }

    private static void extract(Path jar, Path folder) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = entry.getName();
                if (entry.isDirectory() || !(name.startsWith("bin/") || name.startsWith("lib/"))) {
                    continue;
                }
                Path target = folder.resolve(name).normalize();
                if (!target.startsWith(folder)) {
                    throw new ZipException(name + " leads out of it");
                }
                Files.createDirectories(target.getParent());
                try (InputStream in = zip.getInputStream(entry)) {
                    Files.copy(in, target);
                }
                if (name.startsWith("bin/")) {
                    File file = target.toFile();
                    file.setExecutable(true, false);
                }
                target.toFile().setReadable(true, false);
            }
        }
    }

    /** Another build may have been faster: its folder is equal. */
    private static void publish(Path unfinished, Path home) throws IOException {
        try {
            Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException error) {
            throw error;
        } catch (FileSystemException error) {
            if (!Files.isRegularFile(home.resolve(PROGRAM))) {
                throw error;
            }
        }
    }

    private static String reason(IOException error) {
        String text = error instanceof FileSystemException ? ((FileSystemException) error).getReason() : error.getMessage();
        return text == null ? error.getClass().getSimpleName() : text;
    }
}
