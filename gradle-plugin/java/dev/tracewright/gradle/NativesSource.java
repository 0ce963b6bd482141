package dev.tracewright.gradle;

import dev.tracewright.plugin.Installation;
import dev.tracewright.plugin.TracewrightException;
import java.io.File;
import java.nio.file.Path;
import java.util.Set;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.Input;
import org.gradle.api.provider.Property;

/**
 * Where the program comes from: a folder that the user named, else the natives jar of this machine,
 * unpacked into a cache.
 */
public abstract class NativesSource {
    /** The resolved natives jar; empty where {@link #getHome()} is set. */
    @Classpath
    public abstract ConfigurableFileCollection getJars();

    /** A folder like {@code target/dist}, instead of the jar. */
    @Input
    @Optional
    public abstract Property<String> getHome();

    @Internal
    public abstract DirectoryProperty getCache();

    Installation installation() {
        try {
            if (getHome().isPresent()) {
                return Installation.at(Path.of(getHome().get()));
            }
            Set<File> jars = getJars().getFiles();
            if (jars.size() != 1) {
                throw new TracewrightException("the configuration " + TracewrightPlugin.NATIVES + " must hold one natives jar, and holds " + jars);
            }
            return Installation.unpack(jars.iterator().next().toPath(), getCache().get().getAsFile().toPath());
        } catch (TracewrightException problem) {
            throw new GradleException(problem.getMessage(), problem);
        }
    }
}
