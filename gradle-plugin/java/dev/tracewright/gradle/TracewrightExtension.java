package dev.tracewright.gradle;

import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.Property;

/**
 * {@code tracewright { }}: the names are those of the command line of {@code tracewright generate}.
 * A setting that is not given keeps the program's default.
 */
public abstract class TracewrightExtension {
    /** Version of the natives; default: that of the plugin. */
    public abstract Property<String> getToolVersion();

    /**
     * Classes to write tests for, {@code *} matching anything; default: all of the main source set.
     */
    public abstract ListProperty<String> getClasses();

    /** Classes to leave out, {@code *} matching anything. */
    public abstract ListProperty<String> getExcludes();

    /**
     * Upper limit in wall-clock time for one class, everything included: {@code 30s}, {@code 2m}.
     */
    public abstract Property<String> getBudget();

    /** Upper limit in wall-clock time for all classes together. */
    public abstract Property<String> getTotalBudget();

    /** Classes in work at the same time; default: as many as the machine can take. */
    public abstract Property<Integer> getThreads();

    /** Limit of the memory of the program and its JVMs together, such as 4g; default: half of what is free. */
    public abstract Property<String> getMemory();

    /** Seed of all random draws. */
    public abstract Property<Integer> getSeed();

    /**
     * Instead of a budget: executed candidates and solver queries. The same seed then gives the
     * same tests, and the build cache may keep them.
     */
    public abstract Property<Integer> getSteps();

    /** 4 or 5; default: what the test class path holds. */
    public abstract Property<Integer> getJunit();

    /** Whether tests of one shape become one parameterized test of JUnit 5; default: true. */
    public abstract Property<Boolean> getParameterized();

    /** Folder of the tests; default: {@code build/generated/tracewright/java}. */
    public abstract DirectoryProperty getOutputDirectory();

    /** Writes tests beside the hand-written ones, to be committed with them; default: false. */
    public abstract Property<Boolean> getBesideTests();

    /** The strategy: {@code hybrid}, {@code search}, {@code dse}, {@code random}. */
    public abstract Property<String> getStrategy();

    /**
     * What the code under test may do to this machine: {@code files}, {@code processes}, {@code
     * sockets}, by commas.
     */
    public abstract Property<String> getAllow();

    /**
     * Command that formats the written files; they are its last arguments, or take the place of
     * {@code {files}} or, one after the other, {@code {file}}.
     */
    public abstract Property<String> getFormat();

    /**
     * A git revision: only methods that changed since then, or that call changed methods, get
     * tests.
     */
    public abstract Property<String> getSince();

    /**
     * {@code 2/3}: the second of three shards of the classes; default: what the CI system says in
     * its variables.
     */
    public abstract Property<String> getShard();

    /** Home of the JDK that runs the classes; default: that of the Java toolchain. */
    public abstract DirectoryProperty getJdk();

    /**
     * File with settings of the same names; default: {@code tracewright.toml} of the project, where
     * there is one.
     */
    public abstract RegularFileProperty getConfigFile();

    /**
     * Records the runs of {@code Test} tasks as input of {@code generateTests}; default: false.
     */
    public abstract Property<Boolean> getRecordTests();
}
