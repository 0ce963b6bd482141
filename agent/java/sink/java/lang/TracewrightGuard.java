package java.lang;

import java.util.Objects;

/**
 * What code under test may not do outside the folder of the run. Flows in: calls from the choke
 * points of the JDK; flows out: {@link TracewrightRefusal}, and what was refused first. Must not
 * know which methods are choke points.
 */
public final class TracewrightGuard {
    private TracewrightGuard() {}

    /** The folder in which everything is allowed, absolute and normal; null: not armed. */
    private static volatile String folder;
    /** The folder of relative paths, whatever {@code user.dir} becomes. */
    private static volatile String workingFolder = "";
    private static volatile String refused;

    /** Makes the choke points throw outside the folder, on all threads. */
    public static void arm(String temporaryFolder) {
        workingFolder = System.getProperty("user.dir");
        folder = normal(Objects.requireNonNull(temporaryFolder));
    }

    /** Makes the choke points allow everything again: the runner is about to exit. */
    public static void disarm() {
        folder = null;
    }

    /** What was refused first since the last call; null: nothing. */
    public static String refused() {
        String what = refused;
        refused = null;
        return what;
    }

    /** Guard probe of what is never allowed. */
    public static void refuse(String what) {
        if (folder != null) {
            deny(what);
        }
    }

    /**
     * Guard probe: a file that is about to be written, created, deleted or changed; a {@code
     * String}, {@code File} or {@code Path}.
     */
    public static void refuseWrite(Object path, String what) {
        String allowed = folder;
        if (allowed == null || path == null) {
            return;
        }
        String text = path.toString();
        if (text.equals("/dev/null")) {
            return;
        }
        String normal = normal(text);
        if (!normal.equals(allowed) && !normal.startsWith(allowed.concat("/"))) {
            deny(what.concat(" ").concat(text));
        }
    }

    /** Guard probe: {@code flags} are those of {@code open(2)}; reading is allowed. */
    public static void refuseOpen(Object path, int flags, String what) {
        if ((flags & 3) != 0) {
            refuseWrite(path, what);
        }
    }

    /**
     * Guard probe: {@code mode} is that of {@code RandomAccessFile.open}, where bit 1 means
     * writing.
     */
    public static void refuseRandomAccess(Object path, int mode, String what) {
        if ((mode & 2) != 0) {
            refuseWrite(path, what);
        }
    }

    private static void deny(String what) {
        if (refused == null) {
            refused = what;
        }
        throw new TracewrightRefusal(what);
    }

    /**
     * The absolute path, without {@code .}, {@code ..} and doubled slashes. Symbolic links are not
     * followed: those in the folder were made under guard.
     */
    private static String normal(String path) {
        String absolute = path.startsWith("/") ? path : workingFolder.concat("/").concat(path);
        String[] parts = new String[absolute.length()];
        int count = 0;
        for (int from = 0; from <= absolute.length();) {
            int to = absolute.indexOf('/', from);
            if (to < 0) {
                to = absolute.length();
            }
            String part = absolute.substring(from, to);
            if (part.equals("..")) {
                count = Math.max(0, count - 1);
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts[count++] = part;
            }
            from = to + 1;
        }
        StringBuilder normal = new StringBuilder();
        for (int i = 0; i < count; i++) {
            normal.append('/').append(parts[i]);
        }
        return normal.toString();
    }
}
