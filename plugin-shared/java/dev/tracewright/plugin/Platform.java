package dev.tracewright.plugin;

import java.util.List;
import java.util.Locale;

/** An operating system and a processor, named like the classifier of their natives jar. */
public final class Platform {
    private Platform() {}

    /** The classifier of this machine, whether or not there are natives for it. */
    public static String ofHost() {
        return of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    /** The classifier for values of the system properties {@code os.name} and {@code os.arch}. */
    public static String of(String osName, String osArch) {
        String name = osName.toLowerCase(Locale.ROOT);
        String system = name.startsWith("mac") || name.startsWith("darwin") ? "osx"
                : name.startsWith("windows") ? "windows"
                : name.replaceAll("[^a-z0-9]", "");
        String arch = osArch.toLowerCase(Locale.ROOT);
        String processor = arch.equals("amd64") || arch.equals("x86_64") || arch.equals("x64") ? "x86_64"
                : arch.equals("arm64") ? "aarch64"
                : arch.replaceAll("[^a-z0-9_]", "");
        return system + "-" + processor;
    }

    /** The classifier of this machine, where it is one of those that have natives. */
    public static String supported(List<String> platforms) throws TracewrightException {
        String host = ofHost();
        if (platforms.contains(host)) {
            return host;
        }
        throw new TracewrightException("there is no Tracewright for " + host + " (only for " + String.join(", ", platforms)
                + "): build it there with `cargo xtask dist` and name the folder target/dist with " + Release.HOME_PROPERTY + " or "
                + Release.HOME_VARIABLE);
    }
}
