package dev.tracewright.engine;

import java.io.File;
import org.gradle.api.internal.StartParameterInternal;
import org.gradle.cli.CommandLineParser;
import org.gradle.cli.ParsedCommandLine;
import org.gradle.initialization.DefaultBuildCancellationToken;
import org.gradle.initialization.DefaultBuildRequestContext;
import org.gradle.initialization.DefaultBuildRequestMetaData;
import org.gradle.initialization.NoOpBuildEventConsumer;
import org.gradle.initialization.layout.BuildLayoutFactory;
import org.gradle.internal.buildprocess.BuildProcessState;
import org.gradle.internal.classpath.ClassPath;
import org.gradle.internal.instrumentation.agent.AgentStatus;
import org.gradle.internal.logging.LoggingManagerInternal;
import org.gradle.internal.logging.services.DefaultLoggingManagerFactory;
import org.gradle.internal.logging.services.LoggingServiceRegistry;
import org.gradle.internal.nativeintegration.services.NativeServices;
import org.gradle.internal.service.ServiceRegistry;
import org.gradle.launcher.cli.converter.BuildLayoutConverter;
import org.gradle.launcher.cli.converter.InitialPropertiesConverter;
import org.gradle.launcher.cli.converter.LayoutToPropertiesConverter;
import org.gradle.launcher.cli.converter.StartParameterConverter;
import org.gradle.launcher.configuration.AllProperties;
import org.gradle.launcher.configuration.BuildLayoutResult;
import org.gradle.launcher.configuration.InitialProperties;
import org.gradle.launcher.exec.BuildActionResult;
import org.gradle.launcher.exec.BuildExecutor;
import org.gradle.launcher.exec.DefaultBuildActionParameters;
import org.gradle.tooling.internal.provider.action.ExecuteBuildAction;

/** Runs one build by Gradle's engine in this JVM, as its command line does, without daemon and distribution. */
public final class Launcher {
    private Launcher() {}

    public static void main(String[] arguments) throws Exception {
        long start = System.currentTimeMillis();
        File folder = new File(System.getProperty("user.dir"));
        InitialPropertiesConverter initialConverter = new InitialPropertiesConverter();
        BuildLayoutConverter layoutConverter = new BuildLayoutConverter();
        StartParameterConverter startConverter = new StartParameterConverter();
        CommandLineParser parser = new CommandLineParser();
        initialConverter.configure(parser);
        layoutConverter.configure(parser);
        startConverter.configure(parser);
        parser.allowMixedSubcommandsAndOptions();
        ParsedCommandLine commandLine = parser.parse(arguments);
        InitialProperties initial = initialConverter.convert(commandLine);
        BuildLayoutResult layout = layoutConverter.convert(initial, commandLine, folder);
        AllProperties properties = new LayoutToPropertiesConverter(new BuildLayoutFactory()).convert(initial, layout);
        StartParameterInternal parameters = new StartParameterInternal();
        parameters.setCurrentDir(folder);
        parameters = startConverter.convert(commandLine, layout, properties, parameters);

        NativeServices.initializeOnDaemon(parameters.getGradleUserHomeDir(), NativeServices.NativeServicesMode.ENABLED);
        ServiceRegistry services = LoggingServiceRegistry.newCommandLineProcessLogging();
        LoggingManagerInternal logging = services.get(DefaultLoggingManagerFactory.class).create();
        logging.captureSystemSources();
        logging.setLevelInternal(parameters.getLogLevel());
        logging.attachProcessConsole(parameters.getConsoleOutput());
        logging.start();
        BuildActionResult result;
        try (BuildProcessState state = new BuildProcessState(
                !parameters.isContinuous(), AgentStatus.disabled(), ClassPath.EMPTY, services, NativeServices.getInstance())) {
            result = state.getServices().get(BuildExecutor.class).execute(
                    new ExecuteBuildAction(parameters),
                    new DefaultBuildActionParameters(
                            System.getProperties(), System.getenv(), folder, parameters.getLogLevel(), false, ClassPath.EMPTY),
                    new DefaultBuildRequestContext(
                            new DefaultBuildRequestMetaData(start, false), new DefaultBuildCancellationToken(), new NoOpBuildEventConsumer()));
        }
        logging.stop();
        System.exit(result.hasFailure() ? 1 : 0);
    }
}
