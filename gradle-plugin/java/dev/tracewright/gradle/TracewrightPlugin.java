package dev.tracewright.gradle;

import dev.tracewright.plugin.Platform;
import dev.tracewright.plugin.Release;
import dev.tracewright.plugin.TracewrightException;
import java.io.File;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.gradle.api.Action;
import org.gradle.api.GradleException;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.file.Directory;
import org.gradle.api.plugins.JavaPlugin;
import org.gradle.api.plugins.JavaPluginExtension;
import org.gradle.api.provider.Provider;
import org.gradle.api.provider.ProviderFactory;
import org.gradle.api.tasks.SourceSet;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.api.tasks.testing.Test;
import org.gradle.api.tasks.testing.junitplatform.JUnitPlatformOptions;
import org.gradle.jvm.toolchain.JavaToolchainService;
import org.gradle.util.GradleVersion;

/** {@code plugins { id 'java'; id 'dev.tracewright' version '…' }}. */
public abstract class TracewrightPlugin implements Plugin<Project> {
    static final String NATIVES = "tracewrightNatives";
    private static final String TASK = "generateTests";
    private static final String DIFF_TASK = "diffTests";
    private static final GradleVersion LEAST = GradleVersion.version("7.6");

    @Override
    public void apply(Project project) {
        if (GradleVersion.current().compareTo(LEAST) < 0) {
            throw new GradleException("the plugin dev.tracewright needs Gradle " + LEAST.getVersion() + " or newer; this is "
                    + GradleVersion.current().getVersion());
        }
        TracewrightExtension extension = project.getExtensions().create("tracewright", TracewrightExtension.class);
        extension.getToolVersion().convention(Release.version());
        extension.getBesideTests().convention(false);
        extension.getRecordTests().convention(false);
        project.getPlugins().withType(JavaPlugin.class, java -> configure(project, extension));
        project.afterEvaluate(evaluated -> {
            if (!project.getPlugins().hasPlugin(JavaPlugin.class)) {
                String sentence = "there is nothing to write tests for in " + project.getDisplayName()
                        + ": the plugin dev.tracewright needs the plugin 'java' beside it";
                project.getTasks().register(TASK, task -> task.doLast(unused -> {
                    throw new GradleException(sentence);
                }));
            }
        });
    }

    private static void configure(Project project, TracewrightExtension extension) {
        SourceSet main = sourceSet(project, SourceSet.MAIN_SOURCE_SET_NAME);
        SourceSet tests = sourceSet(project, SourceSet.TEST_SOURCE_SET_NAME);
        Provider<Directory> generated = project.getLayout().getBuildDirectory().dir("generated/tracewright/java");
        File handWrittenFolder = tests.getJava().getSrcDirs().iterator().next();
        Provider<Directory> handWritten = project.getLayout().dir(project.provider(() -> handWrittenFolder));
        extension.getOutputDirectory().convention(extension.getBesideTests().flatMap(beside -> beside ? handWritten : generated));
        extension.getConfigFile().convention(project.getLayout().file(project.provider(() -> {
            File usual = project.file("tracewright.toml");
            return usual.isFile() ? usual : null;
        })));

        Provider<NativesSource> natives = natives(project, extension);
        Provider<Directory> sessions = project.getLayout().getBuildDirectory().dir("tracewright/sessions");
        // Outside of the build's own folder there are other files.
        Provider<Boolean> shared = project.provider(() -> extension.getRecordTests().get() || !extension.getOutputDirectory().get().getAsFile().toPath()
                .startsWith(project.getLayout().getBuildDirectory().get().getAsFile().toPath()));

        Action<GenerateTests> settings = task -> {
            task.setGroup("verification");
            task.getNatives().set(natives);
            // The test classes are no input: tests may use test dependencies, but do not wait for
            // other tests.
            task.getClasspath().from(main.getOutput(), project.getConfigurations().named(tests.getRuntimeClasspathConfigurationName()));
            task.getClassFolders().from(main.getOutput().getClassesDirs());
            task.getClasses().set(extension.getClasses());
            task.getExcludes().set(extension.getExcludes());
            task.getBudget().set(extension.getBudget());
            task.getTotalBudget().set(extension.getTotalBudget());
            task.getThreads().set(extension.getThreads());
            task.getMemory().set(extension.getMemory());
            task.getSeed().set(extension.getSeed());
            task.getSteps().set(extension.getSteps());
            task.getJunit().set(extension.getJunit());
            task.getParameterized().set(extension.getParameterized());
            task.getJunitPlatform().set(project.provider(() -> runsOnPlatform(project)));
            task.getStrategy().set(extension.getStrategy());
            task.getAllow().set(extension.getAllow());
            task.getFormat().set(extension.getFormat());
            task.getEditorConfigs().from(project.file(".editorconfig"), new File(project.getRootDir(), ".editorconfig"));
            task.getSince().set(extension.getSince());
            task.getShard().set(extension.getShard());
            for (String variable : Release.SHARD_VARIABLES) {
                task.getShardVariables().put(variable, project.getProviders().environmentVariable(variable).getOrElse(""));
            }
            task.getJdk().set(extension.getJdk());
            task.getJavaLauncher().convention(project.getExtensions().getByType(JavaToolchainService.class)
                    .launcherFor(project.getExtensions().getByType(JavaPluginExtension.class).getToolchain()));
            task.getConfigFile().set(extension.getConfigFile());
            task.getProjectFolder().set(project.getLayout().getProjectDirectory());
        };
        TaskProvider<GenerateTests> generate = project.getTasks().register(TASK, GenerateTests.class, task -> {
            settings.execute(task);
            task.setDescription("Writes JUnit tests for the classes of the main source set.");
            task.getOutputDirectory().set(extension.getOutputDirectory());
            task.getSharedFolder().set(shared);
            task.getReportDirectory().convention(project.getLayout().getBuildDirectory().dir("reports/tracewright"));
            if (extension.getRecordTests().get()) {
                task.getSessions().from(sessions);
                task.mustRunAfter(project.getTasks().withType(Test.class));
            }
            // A comparison with a revision depends on more than the classes.
            task.getOutputs().upToDateWhen(same -> !((GenerateTests) same).getSince().isPresent() && ((GenerateTests) same).writtenFilesExist());
            task.getOutputs().cacheIf("steps make the tests the same everywhere", same -> {
                GenerateTests it = (GenerateTests) same;
                return it.getSteps().isPresent() && !it.getSince().isPresent() && !it.getSharedFolder().get();
            });
        });

        project.getTasks().register(DIFF_TASK, DiffTests.class, task -> {
            settings.execute(task);
            task.setDescription("Shows what the classes of the main source set do differently since a git revision.");
            // These tests fail in the earlier version: no build runs them by itself.
            task.getOutputDirectory().set(project.getLayout().getBuildDirectory().dir("generated/tracewright-diff/java"));
            task.getSharedFolder().set(false);
            task.getReportDirectory().convention(project.getLayout().getBuildDirectory().dir("reports/tracewright-diff"));
            task.getFailOnChange().convention(false);
            task.getOutputs().upToDateWhen(same -> false);
        });

        // Generated tests are compiled with the others. A run of the tests does not generate them
        // again.
        tests.getJava().srcDir(extension.getOutputDirectory());
        Set<String> readers = new HashSet<>();
        for (String language : List.of("java", "kotlin", "groovy", "scala")) {
            readers.add(tests.getCompileTaskName(language));
        }
        for (String checker : List.of("checkstyle", "pmd", "spotbugs", "jacoco")) {
            readers.add(tests.getTaskName(checker, null));
        }
        project.getTasks().configureEach(task -> {
            if (readers.contains(task.getName()) && !extension.getRecordTests().get()) {
                task.mustRunAfter(generate);
            }
        });
        project.getTasks().withType(Test.class).configureEach(test -> record(project, extension, test, natives, sessions));
    }

    private static SourceSet sourceSet(Project project, String name) {
        return project.getExtensions().getByType(JavaPluginExtension.class).getSourceSets().getByName(name);
    }

    /** {@code null} where there is no task {@code test}. */
    private static Boolean runsOnPlatform(Project project) {
        return project.getTasks().getNames().contains(JavaPlugin.TEST_TASK_NAME)
                ? project.getTasks().named(JavaPlugin.TEST_TASK_NAME, Test.class).get().getOptions() instanceof JUnitPlatformOptions
                : null;
    }

    /** The natives of this machine, resolved only when a task needs them. */
    private static Provider<NativesSource> natives(Project project, TracewrightExtension extension) {
        ProviderFactory providers = project.getProviders();
        Provider<String> home =
                providers.gradleProperty(Release.HOME_PROPERTY).orElse(providers.environmentVariable(Release.HOME_VARIABLE));
        Provider<String> cache =
                providers.gradleProperty(Release.CACHE_PROPERTY).orElse(providers.environmentVariable(Release.CACHE_VARIABLE));
        Configuration configuration = project.getConfigurations().create(NATIVES, natives -> {
            natives.setVisible(false);
            natives.setCanBeConsumed(false);
            natives.setTransitive(false);
            natives.setDescription("Agent, program and solver of Tracewright for this machine.");
            natives.defaultDependencies(dependencies -> dependencies.add(project.getDependencies().create(
                    Release.GROUP + ":" + Release.NATIVES + ":" + extension.getToolVersion().get() + ":" + host() + "@jar")));
        });
        // Properties hold for a whole build, so paths are relative to its root.
        Path root = project.getRootDir().toPath();
        File userHome = project.getGradle().getGradleUserHomeDir();
        NativesSource source = project.getObjects().newInstance(NativesSource.class);
        source.getHome().set(home.map(text -> root.resolve(text).toString()));
        // Not List.of(): the configuration cache cannot read it back.
        source.getJars().from(project.provider(() -> home.isPresent() ? Collections.emptyList() : configuration));
        source.getCache().fileProvider(cache.map(text -> root.resolve(text).toFile()).orElse(new File(userHome, "caches/tracewright")));
        return project.provider(() -> source);
    }

    private static String host() {
        try {
            return Platform.supported(Release.platforms());
        } catch (TracewrightException problem) {
            throw new GradleException(problem.getMessage(), problem);
        }
    }

    private static void record(Project project, TracewrightExtension extension, Test test, Provider<NativesSource> natives,
            Provider<Directory> sessions) {
        AgentArguments.Recording recording = project.getObjects().newInstance(AgentArguments.Recording.class);
        recording.getNatives().set(natives);
        recording.getSession().set(sessions.map(folder -> folder.dir(test.getName())));
        recording.getInclude().set(extension.getClasses());
        AgentArguments arguments = project.getObjects().newInstance(AgentArguments.class);
        arguments.getEnabled().set(extension.getRecordTests());
        arguments.getWhenEnabled().set(recording);
        test.getJvmArgumentProviders().add(arguments);
        test.doFirst(new ForgetSession(arguments));
    }

    /**
     * A recording appends to an existing session, so the session of an earlier run is deleted
     * first.
     */
    private static final class ForgetSession implements Action<Task> {
        private final AgentArguments arguments;

        ForgetSession(AgentArguments arguments) {
            this.arguments = arguments;
        }

        @Override
        public void execute(Task test) {
            AgentArguments.Recording recording = arguments.getRecording();
            if (recording != null) {
                recording.forget();
            }
        }
    }
}
