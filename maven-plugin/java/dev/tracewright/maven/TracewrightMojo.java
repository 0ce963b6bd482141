package dev.tracewright.maven;

import dev.tracewright.plugin.Installation;
import dev.tracewright.plugin.Platform;
import dev.tracewright.plugin.Release;
import dev.tracewright.plugin.TracewrightException;
import java.io.File;
import java.nio.file.Path;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.MavenProject;
import org.apache.maven.toolchain.Toolchain;
import org.apache.maven.toolchain.ToolchainManager;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;

/**
 * Common parts of the goals: the program for this machine, the JDK, the end of a run. Maven sets
 * the fields as {@code plugin.xml} says.
 */
abstract class TracewrightMojo extends AbstractMojo {
    MavenProject project;
    MavenSession session;
    boolean skip;
    File home;
    File cache;
    String toolVersion;
    RepositorySystem repositories;
    ToolchainManager toolchains;

    @Override
    public final void execute() throws MojoExecutionException {
        try {
            run();
        } catch (TracewrightException problem) {
            throw new MojoExecutionException(problem.getMessage(), problem);
        }
    }

    abstract void run() throws TracewrightException;

    final Installation installation() throws TracewrightException {
        String named = home != null ? home.getPath() : environment(Release.HOME_VARIABLE);
        return named != null ? Installation.at(Path.of(named)) : Installation.unpack(natives(), cache());
    }

    /** A folder beside the local repository: {@code clean} does not delete it. */
    private Path cache() {
        String named = cache != null ? cache.getPath() : environment(Release.CACHE_VARIABLE);
        return named != null ? Path.of(named) : session.getLocalRepository() == null
                ? Path.of(System.getProperty("user.home"), ".cache", "tracewright")
                : Path.of(session.getLocalRepository().getBasedir(), ".cache", "tracewright");
    }

    private Path natives() throws TracewrightException {
        String version = toolVersion != null ? toolVersion : Release.version();
        ArtifactRequest request = new ArtifactRequest(
                new DefaultArtifact(Release.GROUP, Release.NATIVES, Platform.supported(Release.platforms()), "jar", version),
                project.getRemotePluginRepositories(), null);
        try {
            return repositories.resolveArtifact(session.getRepositorySession(), request).getArtifact().getFile().toPath();
        } catch (ArtifactResolutionException error) {
            throw new TracewrightException(error.getMessage(), error);
        }
    }

    private static String environment(String variable) {
        String value = System.getenv(variable);
        return value == null || value.isEmpty() ? null : value;
    }

    /** Home of the JDK that the build's toolchains name, else of the JDK that runs Maven. */
    final String javaHome() {
        Toolchain toolchain = toolchains.getToolchainFromBuildContext("jdk", session);
        String java = toolchain == null ? null : toolchain.findTool("java");
        return java == null ? System.getProperty("java.home") : new File(java).getParentFile().getParent();
    }
}
