package dev.tracewright.maven;

import dev.tracewright.plugin.Arguments;

/**
 * {@code tracewright:diff}: shows what the classes of a module do differently since a git revision,
 * with tests that tell the two versions apart.
 */
public final class DiffMojo extends GenerateMojo {
    private boolean failOnChange;

    @Override
    Arguments command() {
        return new Arguments("diff").flag("--fail-on-change", failOnChange);
    }

    @Override
    String revisionOption() {
        return "--old";
    }

    /** These tests fail in the earlier version: no build runs them by itself. */
    @Override
    boolean addsToTests() {
        return false;
    }
}
