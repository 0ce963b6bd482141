package dev.tracewright.gradle;

import dev.tracewright.plugin.Installation;
import dev.tracewright.plugin.TestFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.gradle.api.Named;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Nested;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.process.CommandLineArgumentProvider;

/**
 * Makes a {@code Test} task record its run, where {@code recordTests} is on. Only then do its
 * settings count for up-to-date checks.
 */
public abstract class AgentArguments implements CommandLineArgumentProvider, Named {
    @Internal
    @Override
    public String getName() {
        return "tracewright";
    }

    @Internal
    public abstract Property<Boolean> getEnabled();

    @Internal
    public abstract Property<Recording> getWhenEnabled();

    /** {@code null} where nothing is recorded. */
    @Nested
    @Optional
    public Recording getRecording() {
        return getEnabled().get() ? getWhenEnabled().get() : null;
    }

    @Override
    public Iterable<String> asArguments() {
        Recording recording = getRecording();
        return recording == null ? List.of() : List.of(recording.argument());
    }

    /** The classes to record, and the folder of the session. */
    public abstract static class Recording {
        @Nested
        public abstract Property<NativesSource> getNatives();

        @OutputDirectory
        public abstract DirectoryProperty getSession();

        @Input
        public abstract ListProperty<String> getInclude();

        void forget() {
            try {
                TestFiles.delete(getSession().get().getAsFile().toPath());
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        String argument() {
            Installation installation = getNatives().get().installation();
            StringBuilder options = new StringBuilder("mode=record,session=").append(getSession().get().getAsFile());
            // Options of the agent are separated by commas, so each glob is an option of its own.
            for (String glob : getInclude().get()) {
                options.append(",include=").append(glob);
            }
            return "-agentpath:" + installation.agent() + "=" + options;
        }
    }
}
