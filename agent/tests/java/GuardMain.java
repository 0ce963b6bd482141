import java.io.File;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.RandomAccessFile;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;

/**
 * Tries everything that the guard refuses. Arguments: the folder in which all is allowed, and one
 * in which nothing is.
 */
public class GuardMain {
    public static void main(String[] arguments) throws Exception {
        boolean armedByAgent = TracewrightSink.mode == TracewrightSink.GUARD;
        String inside = arguments[0];
        String outside = arguments[1];
        if (!armedByAgent) {
            Files.setLastModifiedTime(Path.of(outside, "before"), FileTime.fromMillis(0)); // not armed yet
            TracewrightGuard.arm(inside);
        }
        for (String folder : new String[] {outside, inside}) {
            File file = new File(folder, "file");
            Path path = Path.of(folder, "path");
            Path other = Path.of(folder, "other");
            Path before = Path.of(folder, "before");
            attempt("Files.move before", () -> Files.move(before, Path.of(folder, "moved")));
            attempt("Files.move back", () -> Files.move(Path.of(inside, "moved"), before));
            attempt("Files.copy before", () -> Files.copy(before, Path.of(folder, "copied")));
            attempt("Files.setLastModifiedTime before", () -> Files.setLastModifiedTime(before, FileTime.fromMillis(0)));
            attempt("Files.delete before", () -> {
                Files.delete(before);
                return null;
            });
            attempt("FileOutputStream", () -> {
                new FileOutputStream(file).close();
                return null;
            });
            attempt("append", () -> {
                new FileOutputStream(file, true).close();
                return null;
            });
            attempt("RandomAccessFile rw", () -> {
                new RandomAccessFile(file, "rw").close();
                return null;
            });
            attempt("Files.write", () -> Files.write(path, new byte[1]));
            attempt("Files.newByteChannel", () -> {
                Files.newByteChannel(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE).close();
                return null;
            });
            attempt("Files.createDirectory", () -> Files.createDirectory(Path.of(folder, "made")));
            attempt("Files.move", () -> Files.move(path, other));
            attempt("Files.copy", () -> Files.copy(other, path));
            attempt("Files.setLastModifiedTime", () -> Files.setLastModifiedTime(path, FileTime.fromMillis(0)));
            attempt("Files.setPosixFilePermissions",
                    () -> Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------")));
            attempt("Files.createSymbolicLink", () -> Files.createSymbolicLink(Path.of(folder, "link"), path));
            attempt("Files.createLink", () -> Files.createLink(Path.of(folder, "hard"), path));
            attempt("Files.delete", () -> {
                Files.delete(path);
                return null;
            });
            attempt("Files.delete directory", () -> {
                Files.delete(Path.of(folder, "made"));
                return null;
            });
            attempt("File.createNewFile", () -> new File(folder, "new").createNewFile());
            attempt("File.createTempFile", () -> File.createTempFile("xyz", null, new File(folder)));
            attempt("File.mkdirs", () -> new File(folder, "a/b").mkdirs());
            attempt("File.renameTo", () -> file.renameTo(new File(folder, "renamed")));
            attempt("File.setLastModified", () -> new File(folder, "new").setLastModified(0));
            attempt("File.setReadOnly", () -> new File(folder, "new").setReadOnly());
            attempt("File.delete", () -> new File(folder, "new").delete());
            attempt("dots", () -> {
                new FileOutputStream(inside + "/../" + new File(folder).getName() + "/dots").close();
                return null;
            });
        }
        attempt("read", () -> {
            new FileReader("/etc/hostname").close();
            new RandomAccessFile("/etc/hostname", "r").close();
            Files.exists(Path.of("/etc/hostname"));
            Files.readAllBytes(Path.of("/etc/hostname"));
            return null;
        });
        attempt("/dev/null", () -> {
            new FileOutputStream("/dev/null").close();
            return null;
        });
        attempt("exec", () -> Runtime.getRuntime().exec(new String[] {"true"}));
        attempt("ProcessBuilder", () -> new ProcessBuilder("true").start());
        attempt("destroy", () -> ProcessHandle.current().parent().get().destroy());
        attempt("Socket", () -> new Socket("127.0.0.1", 1));
        attempt("ServerSocket", () -> new ServerSocket(0));
        attempt("DatagramSocket", () -> new DatagramSocket());
        attempt("SocketChannel", () -> SocketChannel.open());
        attempt("shutdown hook", () -> {
            Runtime.getRuntime().addShutdownHook(new Thread());
            return null;
        });
        attempt("exit", () -> {
            System.exit(9);
            return null;
        });
        attempt("halt", () -> {
            Runtime.getRuntime().halt(9);
            return null;
        });
        Thread thread = new Thread(() -> attempt("other thread", () -> {
            System.exit(9);
            return null;
        }));
        thread.start();
        thread.join();
        TracewrightGuard.disarm();
        System.exit(7);
    }

    private static void attempt(String what, Callable<Object> action) {
        TracewrightGuard.refused();
        String outcome;
        try {
            action.call();
            outcome = "allowed";
        } catch (TracewrightRefusal refusal) {
            outcome = "refused";
        } catch (Throwable thrown) {
            outcome = thrown.getClass().getName();
        }
        String refused = TracewrightGuard.refused();
        System.out.println(what + ": " + outcome + (refused == null ? "" : " (" + refused.split(" ")[0] + ")"));
    }
}
