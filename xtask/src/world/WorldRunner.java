import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs groups of tests one after the other in this JVM.
 *
 * <p>Arguments: a file for the results, a file with what to run, and a file with tests to leave out (which need not
 * exist). Each line to run is a class, {@code CLASS#METHOD} (with the types of parameters in parentheses), or one of:
 * {@code --config KEY=VALUE}, a parameter of JUnit; {@code --then}, which begins the next group.
 *
 * <p>Each line of the results is, separated by tabs: {@code test}, {@code CLASS#METHOD}, {@code pass}, {@code fail},
 * {@code skip} or {@code hung}, the first line of the exception; or {@code thread}, {@code daemon} or {@code other},
 * and the name of a thread that the tests left; the last line is {@code end}.
 */
public final class WorldRunner {

    private static final long TEST_LIMIT_MILLIS = 60_000;
    private static final long REST_MILLIS = 3_000;

    private final Map<TestIdentifier, Long> running = new ConcurrentHashMap<>();
    private final Set<String> leftOut = new HashSet<>();
    private final PrintStream results;

    private WorldRunner(PrintStream results) {
        this.results = results;
    }

    public static void main(String[] arguments) throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        // The results are written through a stream of their own, since tests may replace System.out.
        PrintStream results = new PrintStream(Files.newOutputStream(Path.of(arguments[0])), true, "UTF-8");
        WorldRunner runner = new WorldRunner(results);
        Path leftOut = Path.of(arguments[2]);
        if (Files.exists(leftOut)) {
            runner.leftOut.addAll(Files.readAllLines(leftOut, StandardCharsets.UTF_8));
        }
        Thread watchdog = new Thread(runner::watch, "world watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        runner.runAll(Files.readAllLines(Path.of(arguments[1]), StandardCharsets.UTF_8));
        runner.reportThreads(before, watchdog);
        results.println("end");
        dumpCoverage();
        // Shutdown hooks remove files, but a hook that hangs must not keep the JVM.
        Thread limit = new Thread(WorldRunner::haltLater, "world limit");
        limit.setDaemon(true);
        limit.start();
        System.exit(0);
    }

    private static void haltLater() {
        try {
            Thread.sleep(REST_MILLIS);
        } catch (InterruptedException interrupted) {
            // The limit ends early then.
        }
        Runtime.getRuntime().halt(0);
    }

    private void runAll(List<String> lines) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        List<String[]> parameters = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("--config ")) {
                parameters.add(line.substring("--config ".length()).split("=", 2));
            } else if (line.equals("--then")) {
                runGroup(selectors, parameters);
                selectors.clear();
            } else {
                selectors.add(line.contains("#") ? selectMethod(line) : selectClass(line));
            }
        }
        runGroup(selectors, parameters);
    }

    private void runGroup(List<DiscoverySelector> selectors, List<String[]> parameters) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request().selectors(selectors)
                .filters((PostDiscoveryFilter) this::included);
        for (String[] parameter : parameters) {
            request.configurationParameter(parameter[0], parameter[1]);
        }
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request.build(), new TestExecutionListener() {
            @Override
            public void executionStarted(TestIdentifier test) {
                if (test.isTest()) {
                    running.put(test, System.nanoTime());
                }
            }

            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                running.remove(test);
                boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
                if (test.isTest() || !passed) {
                    report(test, passed ? "pass" : "fail", result.getThrowable().map(Throwable::toString).orElse(""));
                }
            }

            @Override
            public void executionSkipped(TestIdentifier test, String reason) {
                report(test, "skip", reason);
            }
        });
    }

    private FilterResult included(TestDescriptor descriptor) {
        boolean included = !leftOut.contains(name(descriptor.getSource().orElse(null)));
        return FilterResult.includedIf(included);
    }

    private static String name(TestSource source) {
        if (source instanceof MethodSource) {
            MethodSource method = (MethodSource) source;
            String name = method.getClassName() + "#" + method.getMethodName();
            String parameters = method.getMethodParameterTypes();
            return parameters == null || parameters.isEmpty() ? name : name + "(" + parameters + ")";
        }
        return source instanceof ClassSource ? ((ClassSource) source).getClassName() + "#*" : "?#*";
    }

    private void report(TestIdentifier test, String outcome, String message) {
        String line = message.strip().split("\\R", 2)[0].replace('\t', ' ');
        synchronized (results) {
            results.println("test\t" + name(test.getSource().orElse(null)) + "\t" + outcome + "\t" + line);
        }
    }

    /** Ends the JVM where a test takes too long. */
    private void watch() {
        while (true) {
            try {
                Thread.sleep(200);
            } catch (InterruptedException interrupted) {
                // A test may interrupt every thread of the JVM.
            }
            long now = System.nanoTime();
            running.forEach((test, start) -> {
                if (now - start > TEST_LIMIT_MILLIS * 1_000_000) {
                    report(test, "hung", "it ran for " + TEST_LIMIT_MILLIS / 1000 + " s");
                    Runtime.getRuntime().halt(3);
                }
            });
        }
    }

    /** Names the threads that are alive some time after the last test. */
    private void reportThreads(Set<Thread> before, Thread watchdog) throws InterruptedException {
        long end = System.nanoTime() + REST_MILLIS * 1_000_000;
        Predicate<Thread> works = thread -> !thread.isDaemon() && !isOfJvm(thread);
        while (left(before, watchdog).stream().anyMatch(works) && System.nanoTime() < end) {
            Thread.sleep(20);
        }
        for (Thread thread : left(before, watchdog)) {
            boolean shared = thread.getName().startsWith("ForkJoinPool.commonPool") || isOfJvm(thread);
            String kind = shared ? "other" : thread.isDaemon() ? "daemon" : "thread";
            results.println(kind + "\t" + thread.getName().replaceAll("[\\t\\r\\n]", " "));
        }
    }

    private static boolean isOfJvm(Thread thread) {
        return thread.getThreadGroup() != null && thread.getThreadGroup().getName().matches("system|InnocuousThreadGroup");
    }

    private static List<Thread> left(Set<Thread> before, Thread watchdog) {
        List<Thread> left = new ArrayList<>(Thread.getAllStackTraces().keySet());
        left.removeIf(thread -> before.contains(thread) || thread == watchdog || thread == Thread.currentThread());
        return left;
    }

    /** Writes the coverage, which JaCoCo would write in a shutdown hook. */
    private static void dumpCoverage() {
        try {
            Object agent = Class.forName("org.jacoco.agent.rt.RT").getMethod("getAgent").invoke(null);
            agent.getClass().getMethod("dump", boolean.class).invoke(agent, false);
        } catch (ClassNotFoundException withoutAgent) {
            // This run is not measured.
        } catch (ReflectiveOperationException failed) {
            throw new UncheckedIOException(new IOException(failed));
        }
    }
}
