package dev.tracewright.maven;

import dev.tracewright.plugin.Arguments;
import dev.tracewright.plugin.Junit;
import dev.tracewright.plugin.Program;
import dev.tracewright.plugin.TestFiles;
import dev.tracewright.plugin.TracewrightException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.maven.artifact.DependencyResolutionRequiredException;

/** {@code tracewright:generate}: writes tests for the classes of a module. */
public class GenerateMojo extends TracewrightMojo {
    private List<String> classes;
    private List<String> excludes;
    private String budget;
    private String totalBudget;
    private Integer threads;
    private String memory;
    private Long seed;
    private Long steps;
    private Integer junit;
    private Boolean parameterized;
    private File outputDirectory;
    private File reportDirectory;
    private String strategy;
    private String allow;
    private File jdk;
    private File configFile;
    private File sessionDirectory;
    private String format;
    private String since;
    private boolean accept;
    private String shard;

    /** The command of the program. */
    Arguments command() {
        return new Arguments("generate");
    }

    /** The option for {@code since}. */
    String revisionOption() {
        return "--since";
    }

    /** Whether the build compiles and runs the written tests. */
    boolean addsToTests() {
        return true;
    }

    @Override
    void run() throws TracewrightException {
        if (skip) {
            getLog().info("no tests are generated: tracewright.skip is set");
            return;
        }
        if ("pom".equals(project.getPackaging())) {
            getLog().info("no tests are generated: a module of packaging pom has no classes");
            return;
        }
        File classFolder = new File(project.getBuild().getOutputDirectory());
        if (!TestFiles.hasClasses(List.of(classFolder))) {
            getLog().warn("no tests are generated: " + classFolder + " holds no classes");
            return;
        }
        if (budget != null && steps != null) {
            throw new TracewrightException("tracewright.budget and tracewright.steps exclude each other: set one of them");
        }
        List<File> classPath = classPath();
        Junit found = Junit.on(classPath);
        String remark = found.remark(null, "tracewright.junit");
        if (remark != null && junit == null) {
            getLog().warn(remark);
        }
        File settings = configFile != null ? configFile : new File(project.getBasedir(), "tracewright.toml");
        Arguments arguments = command()
                .option("--progress", "plain")
                .classPath(classPath)
                .option("--classes-from", classFolder)
                .option("--config", configFile != null || settings.isFile() ? settings : null)
                .option("--session", recorded())
                .globs("--classes", classes)
                .globs("--exclude", excludes)
                .option("--out", outputDirectory)
                .option("--report", reportDirectory)
                .option("--budget", budget)
                .option("--total-budget", totalBudget)
                .option("--threads", threads)
                .option("--memory", memory)
                .flag("--resume")
                .option("--steps", steps)
                .option("--seed", seed)
                .option("--junit", junit != null ? junit : found.version(null))
                .option("--parameterized", parameterized == null ? null : parameterized ? "on" : "off")
                .option("--strategy", strategy)
                .option("--allow", allow)
                .option("--format", format)
                .option(revisionOption(), since)
                .flag("--accept", accept)
                .option("--shard", shard)
                .option("--jdk", jdk != null ? jdk : javaHome());
        Program.run(installation(), arguments, new File(project.getBuild().getDirectory(), "tracewright/arguments.txt").toPath(),
                project.getBasedir().toPath(), getLog()::info);
        if (addsToTests() && !project.getTestCompileSourceRoots().contains(outputDirectory.getPath())) {
            project.addTestCompileSourceRoot(outputDirectory.getPath());
        }
    }

    private Path recorded() throws TracewrightException {
        try {
            return TestFiles.recorded(sessionDirectory.toPath());
        } catch (IOException error) {
            throw new TracewrightException("cannot read " + sessionDirectory + " (" + error.getMessage() + ")", error);
        }
    }

    /** The class path of the tests, without the test classes. */
    private List<File> classPath() throws TracewrightException {
        try {
            String tests = project.getBuild().getTestOutputDirectory();
            return project.getTestClasspathElements().stream().filter(entry -> !entry.equals(tests)).map(File::new).collect(Collectors.toList());
        } catch (DependencyResolutionRequiredException error) {
            throw new TracewrightException(error.getMessage(), error);
        }
    }
}
