package dev.tracewright.runner;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;

/**
 * Runs suspend functions of Kotlin as a test does, in a coroutine that it waits for. The library is
 * that of the program, so that everything is found by name.
 */
final class Coroutines {
    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    /** A suspend function with all arguments but its continuation. */
    interface Suspending {
        Object call(Object continuation) throws Throwable;
    }

    /** The class of lambdas that a coroutine runs. */
    private final Class<?> block;
    private final Object emptyContext;
    /** Starts a coroutine and waits for it. */
    private final Method builder;

    private Coroutines(Class<?> block, Object emptyContext, Method builder) {
        this.block = block;
        this.emptyContext = emptyContext;
        this.builder = builder;
    }

    /** Whether a call with this many arguments leaves out the continuation, the last parameter. */
    static boolean suspends(Class<?>[] parameters, int arguments) {
        return parameters.length == arguments + 1 && parameters[arguments].getName().equals(CONTINUATION);
    }

    /** Those of the library on the program's class path. */
    static Coroutines of(ClassLoader loader) throws Illegal {
        try {
            Class<?> block = loader.loadClass("kotlin.jvm.functions.Function2");
            Class<?> context = loader.loadClass("kotlin.coroutines.CoroutineContext");
            Object empty = loader.loadClass("kotlin.coroutines.EmptyCoroutineContext").getField("INSTANCE").get(null);
            Method builder = loader.loadClass("kotlinx.coroutines.BuildersKt").getMethod("runBlocking", context, block);
            return new Coroutines(block, empty, builder);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new Illegal("a suspend function needs kotlinx-coroutines: " + e);
        }
    }

    /** The result of the function, or what it throws. */
    Object runBlocking(Suspending function) throws Throwable {
        Object lambda = Proxy.newProxyInstance(block.getClassLoader(), new Class<?>[] {block}, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "invoke":
                    return function.call(arguments[1]);
                case "hashCode":
                    return System.identityHashCode(proxy);
                case "equals":
                    return proxy == arguments[0];
                default:
                    return "a coroutine";
            }
        });
        try {
            return builder.invoke(null, emptyContext, lambda);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            // A lambda would not wrap it. The library copies exceptions and makes the original the cause.
            while (thrown instanceof UndeclaredThrowableException && thrown.getCause() != null) {
                thrown = thrown.getCause();
            }
            throw thrown;
        }
    }
}
