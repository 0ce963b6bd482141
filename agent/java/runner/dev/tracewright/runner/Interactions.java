package dev.tracewright.runner;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls that the mocks of one run received. Flows in: calls; flows out: part of a result, which
 * the engine reads as {@code Interaction}s.
 */
final class Interactions {
    /** Later calls are not kept: a loop that calls a mock says the same again. */
    private static final int MOST_CALLS = 64;

    /** A method without parameters, by the class that a test names. */
    record Inspector(String owner, String name, String descriptor) {}

    private record Call(int statement, int mock, Method method, Object[] arguments) {}

    private static final int NO_STATEMENT = -1;

    private final List<Call> calls = new ArrayList<>();
    private int statement = NO_STATEMENT;

    /** A statement of the test case begins. */
    synchronized void begin(int index) {
        statement = index;
    }

    /** The statement has ended: calls until the next one belong to its observation. */
    synchronized void end() {
        statement = NO_STATEMENT;
    }

    synchronized void add(int mock, Method method, Object[] arguments) {
        if (statement != NO_STATEMENT && calls.size() < MOST_CALLS) {
            calls.add(new Call(statement, mock, method, arguments.clone()));
        }
    }

    /** Writes the calls. Describing their arguments calls code under test. */
    synchronized void write(Wire.Writer out, Object[] values, Snapshots snapshots, Inspector[] inspectors) {
        out.int32(calls.size());
        for (Call call : calls) {
            Method method = call.method;
            out.int32(call.statement).int32(call.mock);
            out.string(method.getDeclaringClass().getName()).string(method.getName()).string(Answers.descriptor(method));
            Class<?>[] parameters = method.getParameterTypes();
            out.int32(parameters.length);
            for (int i = 0; i < parameters.length; i++) {
                argument(out, parameters[i], call.arguments[i], values, snapshots, inspectors);
            }
        }
    }

    private static void argument(Wire.Writer out, Class<?> declared, Object value, Object[] values, Snapshots snapshots,
            Inspector[] inspectors) {
        int variable = -1;
        for (int i = 0; i < values.length && variable < 0 && value != null && !Snapshots.isPlainValue(value); i++) {
            if (values[i] == value) {
                variable = i;
            }
        }
        out.int32(variable);
        snapshots.write(out, declared.isPrimitive() ? declared.descriptorString().charAt(0) : 'L', new Object[] {value}, 0);
        int count = out.position();
        out.int32(0);
        int written = 0;
        for (Inspector inspector : inspectors) {
            if (variable < 0 && value != null && inspect(out, inspector, value, snapshots)) {
                written++;
            }
        }
        out.int32At(count, written);
    }

    /** Writes what the inspector returns; false: it is none of the object's, or it throws. */
    private static boolean inspect(Wire.Writer out, Inspector inspector, Object object, Snapshots snapshots) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            if (!type.getName().equals(inspector.owner)) {
                continue;
            }
            Object result;
            Class<?> returned;
            try {
                Method method = found(object.getClass(), inspector);
                if (method == null) {
                    return false;
                }
                method.setAccessible(true);
                returned = method.getReturnType();
                result = method.invoke(object);
            } catch (Throwable thrown) {
                Throwable cause = thrown instanceof java.lang.reflect.InvocationTargetException ? thrown.getCause() : thrown;
                if (Sink.isBudget(cause)) {
                    throw (Error) cause;
                }
                return false;
            }
            if (returned != void.class) {
                out.string(inspector.owner).string(inspector.name).string(inspector.descriptor);
                snapshots.write(out, returned.isPrimitive() ? returned.descriptorString().charAt(0) : 'L', new Object[] {result}, 0);
                return true;
            }
        }
        return false;
    }

    private static Method found(Class<?> of, Inspector inspector) {
        for (Class<?> type = of; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getParameterCount() == 0 && method.getName().equals(inspector.name) && !method.isBridge()) {
                    return method;
                }
            }
        }
        return null;
    }
}
