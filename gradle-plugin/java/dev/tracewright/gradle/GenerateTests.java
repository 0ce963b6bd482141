package dev.tracewright.gradle;

import dev.tracewright.plugin.Arguments;
import dev.tracewright.plugin.Junit;
import dev.tracewright.plugin.Program;
import dev.tracewright.plugin.TestFiles;
import dev.tracewright.plugin.TracewrightException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.Directory;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.FileTree;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.IgnoreEmptyDirectories;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Nested;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;
import org.gradle.api.tasks.options.Option;
import org.gradle.jvm.toolchain.JavaLauncher;
import org.gradle.work.DisableCachingByDefault;

/** Writes tests for the classes of the main source set. */
@DisableCachingByDefault(because = "what a budget in time finds differs from run to run; with steps the cache is used")
public abstract class GenerateTests extends DefaultTask {
    @Nested
    public abstract Property<NativesSource> getNatives();

    /** The classes, and everything that they and their tests need. */
    @Classpath
    public abstract ConfigurableFileCollection getClasspath();

    /** The folders of {@link #getClasspath()} whose classes get tests. */
    @Internal
    public abstract ConfigurableFileCollection getClassFolders();

    @Input
    public abstract ListProperty<String> getClasses();

    @Input
    public abstract ListProperty<String> getExcludes();

    @Input
    @Optional
    public abstract Property<String> getBudget();

    @Input
    @Optional
    public abstract Property<String> getTotalBudget();

    @Internal
    public abstract Property<Integer> getThreads();

    @Internal
    public abstract Property<String> getMemory();

    @Input
    @Optional
    public abstract Property<Integer> getSeed();

    @Input
    @Optional
    public abstract Property<Integer> getSteps();

    @Input
    @Optional
    public abstract Property<Integer> getJunit();

    /** Whether tests of one shape become one parameterized test. */
    @Input
    @Optional
    public abstract Property<Boolean> getParameterized();

    /** Whether the tests of the build run on the JUnit platform. */
    @Input
    @Optional
    public abstract Property<Boolean> getJunitPlatform();

    @Input
    @Optional
    public abstract Property<String> getStrategy();

    @Input
    @Optional
    public abstract Property<String> getAllow();

    /** Command that formats the written files. */
    @Input
    @Optional
    public abstract Property<String> getFormat();

    /** The {@code .editorconfig} files of the project and of the build, where they exist. */
    @InputFiles
    @PathSensitive(PathSensitivity.RELATIVE)
    public abstract ConfigurableFileCollection getEditorConfigs();

    /** A git revision: only methods that changed since then get tests. */
    @Input
    @Optional
    public abstract Property<String> getSince();

    /** Whether earlier tests that a change made wrong get the values that they find. */
    @Input
    @Optional
    public abstract Property<Boolean> getAccept();

    /** {@code 2/3}: the second of three parts of the classes. */
    @Input
    @Optional
    public abstract Property<String> getShard();

    /** What the CI system says about shards, where {@link #getShard()} is not set. */
    @Input
    public abstract MapProperty<String, String> getShardVariables();

    /** The JDK that runs the classes, unless {@link #getJdk()} is set. */
    @Nested
    @Optional
    public abstract Property<JavaLauncher> getJavaLauncher();

    @Internal
    public abstract DirectoryProperty getJdk();

    /** A JDK that the user named is an input by its path. */
    @Input
    @Optional
    public Provider<String> getJdkHome() {
        return getJdk().map(home -> home.getAsFile().getPath());
    }

    @InputFile
    @Optional
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getConfigFile();

    /** Folders that hold a session for each recorded {@code Test} task, after these have run. */
    @Internal
    public abstract ConfigurableFileCollection getSessions();

    /**
     * The session files. The program writes other files beside them, which are no reason to
     * generate again.
     */
    @InputFiles
    @IgnoreEmptyDirectories
    @PathSensitive(PathSensitivity.RELATIVE)
    public FileTree getRecorded() {
        return getSessions().getAsFileTree().matching(files -> files.include("**/*.session"));
    }

    @Internal
    public abstract DirectoryProperty getOutputDirectory();

    /**
     * Whether the tests share their folder with other files, or with tasks that run earlier: then
     * the folder is no output for Gradle.
     */
    @Input
    public abstract Property<Boolean> getSharedFolder();

    /**
     * {@code null} where others write into the folder too: their changes are no reason to generate
     * again.
     */
    @OutputDirectory
    @Optional
    public Provider<Directory> getOwnFolder() {
        return getSharedFolder().get() ? null : getOutputDirectory();
    }

    @OutputDirectory
    public abstract DirectoryProperty getReportDirectory();

    @Internal
    public abstract DirectoryProperty getProjectFolder();

    @Option(option = "classes", description = "Classes to write tests for; * matches anything, several by commas.")
    public void classesOption(String globs) {
        getClasses().set(Arrays.asList(globs.split(",")));
    }

    @Option(option = "budget", description = "Upper limit in wall-clock time for one class: 30s, 2m.")
    public void budgetOption(String budget) {
        getBudget().set(budget);
        getSteps().set((Integer) null);
    }

    @Option(option = "since", description = "Only what changed since this git revision: a commit, a tag, a branch.")
    public void sinceOption(String revision) {
        getSince().set(revision);
    }

    @Option(option = "accept", description = "With --since: earlier tests that fail now get the values that they find.")
    public void acceptOption(boolean accepts) {
        getAccept().set(accepts);
    }

    @Option(option = "shard", description = "Only this part of the classes: 2/3.")
    public void shardOption(String part) {
        getShard().set(part);
    }

    /** Written test files, relative to their folder; kept beside the report. */
    private Path manifest() {
        return getReportDirectory().get().getAsFile().toPath().resolve("files.txt");
    }

    /**
     * Whether the written files still exist, where Gradle does not watch the folder of the tests.
     */
    boolean writtenFilesExist() {
        if (!getSharedFolder().get()) {
            return true;
        }
        Path folder = getOutputDirectory().get().getAsFile().toPath();
        try {
            return Files.isRegularFile(manifest())
                    && Files.readAllLines(manifest()).stream().allMatch(file -> Files.isRegularFile(folder.resolve(file)));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @TaskAction
    public void generate() {
        Set<File> folders = getClassFolders().getFiles();
        Path out = getOutputDirectory().get().getAsFile().toPath();
        try {
            if (!getSharedFolder().get()) {
                for (Path orphan : TestFiles.orphans(out, folders)) {
                    Files.delete(orphan);
                }
            }
            if (!TestFiles.hasClasses(folders)) {
                getLogger().warn("{}: no tests, for the main source set has no classes", getPath());
                Files.write(manifest(), List.of());
                return;
            }
            Program.run(getNatives().get().installation(), arguments(folders, out), getTemporaryDir().toPath().resolve("arguments.txt"),
                    getProjectFolder().get().getAsFile().toPath(), line -> getLogger().lifecycle(line));
            Files.write(manifest(), TestFiles.in(out).stream().map(file -> out.relativize(file).toString()).collect(Collectors.toList()));
        } catch (TracewrightException problem) {
            throw new GradleException(problem.getMessage(), problem);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** The command of the program. */
    Arguments command() {
        return new Arguments("generate");
    }

    /** The option for {@link #getSince()}. */
    String revisionOption() {
        return "--since";
    }

    private Arguments arguments(Set<File> folders, Path out) throws TracewrightException {
        if (getBudget().isPresent() && getSteps().isPresent()) {
            throw new TracewrightException("tracewright { budget } and tracewright { steps } exclude each other: set one of them");
        }
        Set<File> classPath = getClasspath().getFiles();
        Junit junit = Junit.on(classPath);
        Boolean platform = getJunitPlatform().getOrNull();
        String remark = junit.remark(platform, "tracewright { junit }");
        if (remark != null && !getJunit().isPresent()) {
            getLogger().warn("{}: {}", getPath(), remark);
        }
        Arguments arguments = command().option("--progress", "plain").classPath(classPath);
        folders.stream().filter(File::exists).forEach(folder -> arguments.option("--classes-from", folder));
        if (getConfigFile().isPresent()) {
            arguments.option("--config", getConfigFile().get());
        }
        for (File folder : getSessions().getFiles()) {
            sessions(folder).forEach(session -> arguments.option("--session", session));
        }
        return arguments.globs("--classes", getClasses().get())
                .globs("--exclude", getExcludes().get())
                .option("--out", out)
                .option("--report", getReportDirectory().get())
                .option("--budget", getBudget().getOrNull())
                .option("--total-budget", getTotalBudget().getOrNull())
                .option("--threads", getThreads().getOrNull())
                .option("--memory", getMemory().getOrNull())
                .flag("--resume")
                .option("--steps", getSteps().getOrNull())
                .option("--seed", getSeed().getOrNull())
                .option("--junit", getJunit().getOrElse(junit.version(platform)))
                .option("--parameterized", getParameterized().map(wanted -> wanted ? "on" : "off").getOrNull())
                .option("--strategy", getStrategy().getOrNull())
                .option("--allow", getAllow().getOrNull())
                .option("--format", getFormat().getOrNull())
                .option(revisionOption(), getSince().getOrNull())
                .flag("--accept", getAccept().getOrElse(false))
                .option("--shard", getShard().getOrNull())
                .option("--jdk", jdk());
    }

    /** Only now the folders exist, or not: a task that ran no tests has recorded nothing. */
    private static List<Path> sessions(File folder) throws TracewrightException {
        try {
            return TestFiles.sessions(folder.toPath());
        } catch (IOException error) {
            throw new TracewrightException("cannot read " + folder + " (" + error.getMessage() + ")", error);
        }
    }

    private Object jdk() {
        if (getJdk().isPresent()) {
            return getJdk().get();
        }
        return getJavaLauncher().isPresent() ? getJavaLauncher().get().getMetadata().getInstallationPath() : null;
    }
}
