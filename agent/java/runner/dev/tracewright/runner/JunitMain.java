package dev.tracewright.runner;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Entry of a JVM that runs JUnit classes twice, the second time in another order. Flows in: the
 * pipes, the folder that tests may write to, the seed, the name of the thread and whether there are
 * mocks and requests to controllers as arguments, then frames that name classes; flows out: that
 * everything is loaded, results of tests, and whether the JVM may run further classes. Must not
 * need JUnit to be compiled: the launcher of the JUnit platform is on the class path of this JVM
 * only, so it is called by reflection.
 *
 * <p>The JVM may start long before there are classes to run: it loads the launcher and waits.
 */
public final class JunitMain {
    private static final int ROUNDS = 2;
    /** Between the seeds of two rounds; other JVMs have the seeds next to the first one. */
    private static final long SEEDS_APART = 1000;
    private static final int PASSED = 0, FAILED = 1, SKIPPED = 2;
    private static final String LAUNCHER = "org.junit.platform.launcher.";
    private static final String ENGINE = "org.junit.platform.engine.";
    /** What stands in front of the number of a row in its unique id. */
    private static final String INVOCATION = "[test-template-invocation:#";

    private final Wire wire;
    /** Of the order of tests. */
    private long seed;

    private JunitMain(Wire wire, long seed) {
        this.wire = wire;
        this.seed = seed;
    }

    public static void main(String[] arguments) throws Throwable {
        // The agent armed the guard when the JVM began, but the runner must open its pipes.
        Sink.disarm();
        Wire wire = new Wire(new FileInputStream(arguments[0]), new FileOutputStream(arguments[1]));
        try {
            Sink.arm(arguments[2]);
            JunitMain main = new JunitMain(wire, Long.parseLong(arguments[3]));
            // Loads the classes that running tests needs.
            Object launcher = main.launcher();
            main.execute(launcher, main.request(List.of()));
            if (Boolean.parseBoolean(arguments[5])) {
                loadMockito();
            }
            if (Boolean.parseBoolean(arguments[6])) {
                loadRequests();
            }
            wire.write(new Wire.Writer(Wire.READY));
            main.serve(launcher, arguments[4], arguments[2]);
        } catch (Throwable thrown) {
            wire.fatal(thrown);
        }
        Main.end();
    }

    /**
     * Runs the classes of each frame. The first frame's are on the class path of the JVM; a later frame names the
     * entries that have its classes.
     */
    private void serve(Object launcher, String thread, String temporary) throws Throwable {
        long first = seed;
        World world = null;
        Set<Thread> before = Set.of();
        for (Wire.Reader in = wire.read(); in != null; in = wire.read()) {
            if (in.uint8() != Wire.JUNIT) {
                throw new IOException("unknown frame");
            }
            List<String> classes = strings(in);
            List<URL> own = new ArrayList<>();
            for (String entry : strings(in)) {
                own.add(new File(entry).toURI().toURL());
            }
            seed = first;
            Collections.shuffle(classes, new Random(seed));
            if (world == null) {
                Sink.pretend();
                world = new World(temporary);
                before = threads();
            }
            try (OwnClasses loader = own.isEmpty() ? null : new OwnClasses(own)) {
                runInThread(thread, launcher, classes, loader);
            }
            // Libraries set properties when they are loaded. Tests that change more of the world may also
            // have changed what World does not put back.
            boolean isAsBefore = (world.restore() & ~(World.PROPERTIES | World.FILES | World.THREAD_LOCALS)) == 0;
            boolean mayServe = isAsBefore && !leftThreads(before) && !World.isHeapSpent();
            wire.write(new Wire.Writer(Wire.DONE).int8(mayServe ? 1 : 0));
        }
    }

    private static List<String> strings(Wire.Reader in) throws IOException {
        List<String> strings = new ArrayList<>();
        for (int n = in.int32(); n > 0; n--) {
            strings.add(in.string());
        }
        return strings;
    }

    /** Whether tests left threads behind: they may do anything while other tests run. */
    private static boolean leftThreads(Set<Thread> before) {
        for (Thread thread : threads()) {
            if (!before.contains(thread) && thread.isAlive() && !thread.getName().startsWith("ForkJoinPool.commonPool-")) {
                return true;
            }
        }
        return false;
    }

    /** The threads but those of the JDK itself. */
    private static Set<Thread> threads() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        Thread[] threads = new Thread[2 * group.activeCount() + 16];
        return new HashSet<>(Arrays.asList(threads).subList(0, group.enumerate(threads)));
    }

    private Object launcher() throws Throwable {
        return Class.forName(LAUNCHER + "core.LauncherFactory").getMethod("create").invoke(null);
    }

    /** What {@link #loadMockito} mocks. */
    public interface Mocked {
        /** A method to call. */
        int value();
    }

    /** Makes a first mock while there is nothing to run yet: it takes longer than most tests. */
    private static void loadMockito() {
        try {
            Class<?> mockito = Class.forName("org.mockito.Mockito");
            Object mock = mockito.getMethod("mock", Class.class).invoke(null, Mocked.class);
            ((Mocked) mock).value();
            ((Mocked) mockito.getMethod("verify", Object.class).invoke(null, mock)).value();
        } catch (ReflectiveOperationException | LinkageError notThere) {
            // The tests say what is missing.
        }
    }

    /** Performs a first request, to a controller without handlers: Spring loads thousands of classes for it. */
    private static void loadRequests() {
        String servlet = "org.springframework.test.web.servlet.";
        try {
            Class<?> builders = Class.forName(servlet + "setup.MockMvcBuilders");
            Object[] controllers = {new Object()};
            Object builder = builders.getMethod("standaloneSetup", Object[].class).invoke(null, (Object) controllers);
            Object mockMvc = builder.getClass().getMethod("build").invoke(builder);
            Class<?> requests = Class.forName(servlet + "request.MockMvcRequestBuilders");
            Object request = requests.getMethod("get", String.class, Object[].class).invoke(null, "/", new Object[0]);
            mockMvc.getClass().getMethod("perform", Class.forName(servlet + "RequestBuilder")).invoke(mockMvc, request);
        } catch (ReflectiveOperationException | LinkageError notThere) {
            // The tests say what is missing.
        }
    }

    /**
     * Runs the classes in a new thread of this name, since tests can read it. JUnit takes classes from the thread's
     * loader; null: that of the JVM.
     */
    private void runInThread(String name, Object launcher, List<String> classes, ClassLoader loader) throws Throwable {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                run(launcher, classes);
            } catch (Throwable thrown) {
                failure.set(thrown);
            }
        }, name);
        if (loader != null) {
            thread.setContextClassLoader(loader);
        }
        thread.start();
        thread.join();
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private void run(Object launcher, List<String> classes) throws Throwable {
        Class<?> discovery = Class.forName(ENGINE + "discovery.DiscoverySelectors");
        Method selectClass = discovery.getMethod("selectClass", String.class);
        Method selectUniqueId = discovery.getMethod("selectUniqueId", String.class);
        List<Object> selectors = new ArrayList<>();
        for (String name : classes) {
            selectors.add(selectClass.invoke(null, name));
        }
        Object plan = launcherMethod("discover").invoke(launcher, request(selectors));
        Class<?> plans = Class.forName(LAUNCHER + "TestPlan");
        Class<?> identifiers = Class.forName(LAUNCHER + "TestIdentifier");
        List<Object> vintage = new ArrayList<>();
        boolean others = false;
        for (Object root : (Set<?>) plans.getMethod("getRoots").invoke(plan)) {
            Method descendants = plans.getMethod("getDescendants", identifiers);
            for (Object identifier : (Set<?>) descendants.invoke(plan, root)) {
                String id = (String) call(identifier, "getUniqueId");
                boolean isTest = (boolean) call(identifier, "isTest");
                if (!id.startsWith("[engine:junit-vintage]")) {
                    // A parameterized test has no invocations yet: it is a container with a method.
                    others |= isTest || !nameOf(identifier)[1].isEmpty();
                } else if (isTest) {
                    vintage.add(selectUniqueId.invoke(null, id));
                }
            }
        }
        // In the second round, every test runs after all others: it must not rely on static state as
        // the JVM starts with it.
        for (int round = 0; round < ROUNDS; round++) {
            if (others) {
                execute(launcher, request(selectors, "junit-vintage"));
            }
            // The order of JUnit 4 cannot be set from outside, so each method is a request of its own.
            Collections.shuffle(vintage, new Random(seed));
            for (Object one : vintage) {
                execute(launcher, request(List.of(one)));
            }
            seed += SEEDS_APART;
        }
    }

    private Object request(List<Object> selectors, String... excluded) throws Throwable {
        Class<?> builders = Class.forName(LAUNCHER + "core.LauncherDiscoveryRequestBuilder");
        Object builder = builders.getMethod("request").invoke(null);
        builders.getMethod("selectors", List.class).invoke(builder, selectors);
        Method parameter = builders.getMethod("configurationParameter", String.class, String.class);
        parameter.invoke(builder, "junit.jupiter.testmethod.order.default", "org.junit.jupiter.api.MethodOrderer$Random");
        parameter.invoke(builder, "junit.jupiter.testclass.order.default", "org.junit.jupiter.api.ClassOrderer$Random");
        parameter.invoke(builder, "junit.jupiter.execution.order.random.seed", Long.toString(seed));
        parameter.invoke(builder, "junit.vintage.discovery.issue.reporting.enabled", "false");
        if (excluded.length > 0) {
            Class<?> filter = Class.forName(LAUNCHER + "EngineFilter");
            Object exclude = filter.getMethod("excludeEngines", String[].class).invoke(null, (Object) excluded);
            Object filters = Array.newInstance(Class.forName(ENGINE + "Filter"), 1);
            Array.set(filters, 0, exclude);
            builders.getMethod("filters", filters.getClass()).invoke(builder, filters);
        }
        return builders.getMethod("build").invoke(builder);
    }

    private void execute(Object launcher, Object request) throws Throwable {
        Class<?> listener = Class.forName(LAUNCHER + "TestExecutionListener");
        Object proxy = Proxy.newProxyInstance(listener.getClassLoader(), new Class<?>[] {listener}, (self, method, arguments) -> {
            switch (method.getName()) {
                case "executionStarted" -> started(arguments[0]);
                case "executionFinished" -> finished(arguments[0], arguments[1]);
                case "executionSkipped" -> report(arguments[0], SKIPPED, (String) arguments[1]);
                case "hashCode" -> {
                    return System.identityHashCode(self);
                }
                case "equals" -> {
                    return self == arguments[0];
                }
                case "toString" -> {
                    return "listener";
                }
                default -> {}
            }
            return null;
        });
        Object listeners = Array.newInstance(listener, 1);
        Array.set(listeners, 0, proxy);
        launcherMethod("execute").invoke(launcher, request, listeners);
    }

    private static Method launcherMethod(String name) throws ClassNotFoundException, NoSuchMethodException {
        Class<?> launcher = Class.forName(LAUNCHER + "Launcher");
        Class<?> request = Class.forName(LAUNCHER + "LauncherDiscoveryRequest");
        return name.equals("discover")
                ? launcher.getMethod(name, request)
                : launcher.getMethod(name, request, Class.forName("[L" + LAUNCHER + "TestExecutionListener;"));
    }

    private void started(Object identifier) throws Throwable {
        if ((boolean) call(identifier, "isTest")) {
            Sink.refused();
            String[] name = nameOf(identifier);
            wire.write(new Wire.Writer(Wire.TEST_STARTED).string(name[0]).string(name[1]));
        }
    }

    private void finished(Object identifier, Object result) throws Throwable {
        Optional<?> thrown = (Optional<?>) call(result, "getThrowable");
        String status = call(result, "getStatus").toString();
        boolean passed = status.equals("SUCCESSFUL");
        String refused = Sink.refused();
        if (refused != null) {
            report(identifier, FAILED, "refused: " + refused);
        } else if ((boolean) call(identifier, "isTest") || !passed) {
            // A container that fails (a class that cannot be initialised) fails under its own name.
            report(
                    identifier,
                    passed ? PASSED : status.equals("ABORTED") ? SKIPPED : FAILED,
                    thrown.map(Object::toString).orElse(status),
                    (Throwable) thrown.orElse(null));
        }
    }

    private void report(Object identifier, int status, String message) throws Throwable {
        report(identifier, status, message, null);
    }

    private void report(Object identifier, int status, String message, Throwable thrown) throws Throwable {
        String[] name = nameOf(identifier);
        int line = status == FAILED ? FailedAssertion.line(thrown, name[0]) : 0;
        wire.write(new Wire.Writer(Wire.TEST_FINISHED)
                .string(name[0])
                .string(name[1])
                .int8(status)
                .string(message == null ? "" : message)
                .int32(rowOf(identifier))
                .int32(line)
                .string(line == 0 ? "" : FailedAssertion.found(thrown)));
    }

    /** The number of the row of a parameterized test, from 1; 0 for another test. */
    private static int rowOf(Object identifier) throws Throwable {
        String id = (String) call(identifier, "getUniqueId");
        int begin = id.lastIndexOf(INVOCATION);
        int end = id.indexOf(']', Math.max(begin, 0));
        return begin < 0 || end != id.length() - 1 ? 0 : Integer.parseInt(id.substring(begin + INVOCATION.length(), end));
    }

    /** Class and method; the method is empty for a class. */
    private static String[] nameOf(Object identifier) throws Throwable {
        Optional<?> source = (Optional<?>) call(identifier, "getSource");
        if (source.isPresent()) {
            String kind = source.get().getClass().getSimpleName();
            if (kind.equals("MethodSource")) {
                return new String[] {(String) call(source.get(), "getClassName"), (String) call(source.get(), "getMethodName")};
            } else if (kind.equals("ClassSource")) {
                return new String[] {(String) call(source.get(), "getClassName"), ""};
            }
        }
        return new String[] {(String) call(identifier, "getDisplayName"), ""};
    }

    private static Object call(Object receiver, String name) throws Throwable {
        return receiver.getClass().getMethod(name).invoke(receiver);
    }
}
