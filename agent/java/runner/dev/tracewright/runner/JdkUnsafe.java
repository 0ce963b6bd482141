package dev.tracewright.runner;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Methods of the JDK's own Unsafe, which reads and writes what no interface of the JDK shows. Must
 * not know what is read or written. The runner's JVM exports the package of this class.
 */
final class JdkUnsafe {
    private static final String NAME = "jdk.internal.misc.Unsafe";

    private JdkUnsafe() {}

    /**
     * A method, as a function of its parameters alone.
     *
     * @throws ReflectiveOperationException where this JDK has no such method
     */
    static MethodHandle method(String name, Class<?> result, Class<?>... parameters) throws ReflectiveOperationException {
        Class<?> type = Class.forName(NAME);
        Object unsafe = type.getMethod("getUnsafe").invoke(null);
        return MethodHandles.lookup().findVirtual(type, name, MethodType.methodType(result, parameters)).bindTo(unsafe);
    }
}
