package dev.tracewright.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;

/** The version of this build of the plugins, and the platforms that have natives. */
public final class Release {
    public static final String GROUP = "dev.tracewright";
    public static final String NATIVES = "tracewright-natives";
    /**
     * A folder with {@code bin/tracewright} and {@code lib} that is used instead of the natives.
     */
    public static final String HOME_PROPERTY = "tracewright.home";
    public static final String HOME_VARIABLE = "TRACEWRIGHT_HOME";
    /** The folder where natives are unpacked. */
    public static final String CACHE_PROPERTY = "tracewright.cache";
    public static final String CACHE_VARIABLE = "TRACEWRIGHT_CACHE";

    /**
     * Environment variables that tell the program which shard of the classes a job has; see {@code
     * config::Shard}.
     */
    public static final List<String> SHARD_VARIABLES = List.of("TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", "CI_NODE_INDEX", "CI_NODE_TOTAL",
            "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", "SLURM_ARRAY_TASK_ID",
            "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP", "JOB_COMPLETION_INDEX", "TRACEWRIGHT_SHARDS");

    private Release() {}

    public static String version() {
        return properties().getProperty("version");
    }

    /** Classifiers of the natives of this version. */
    public static List<String> platforms() {
        return List.of(properties().getProperty("platforms").split(","));
    }

    private static Properties properties() {
        Properties properties = new Properties();
        try (InputStream in = Release.class.getResourceAsStream("release.properties")) {
            properties.load(in);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return properties;
    }
}
