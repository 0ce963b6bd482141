package dev.tracewright.gradle;

import dev.tracewright.plugin.Arguments;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.options.Option;
import org.gradle.work.DisableCachingByDefault;

/**
 * Shows what the classes of the main source set do differently since a git revision, with tests
 * that tell the two versions apart.
 */
@DisableCachingByDefault(because = "a comparison with a revision depends on more than the classes")
public abstract class DiffTests extends GenerateTests {
    /** Whether a difference ends the build. */
    @Input
    public abstract Property<Boolean> getFailOnChange();

    @Option(option = "fail-on-change", description = "Fails where the behaviour differs, for a refactoring.")
    public void failOnChangeOption(boolean fails) {
        getFailOnChange().set(fails);
    }

    @Override
    Arguments command() {
        return new Arguments("diff").flag("--fail-on-change", getFailOnChange().get());
    }

    @Override
    String revisionOption() {
        return "--old";
    }
}
