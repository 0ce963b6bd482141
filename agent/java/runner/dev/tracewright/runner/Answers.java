package dev.tracewright.runner;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The answers of one stub. Flows in: calls of its methods; flows out: what they return or throw.
 * Must not know how the stub is made.
 */
final class Answers {
    /** An argument that may have any value. */
    static final Object ANY = new Object();
    private static final String OWN_PACKAGE = Answers.class.getPackageName() + ".";

    private static final class Answer {
        /**
         * Name and parameters, so that bridges with other result types give the same answers.
         */
        final String key;
        /** Of a call; empty: every call. */
        final Object[] arguments;
        /** By outcome: the value is thrown. */
        final boolean[] thrown;
        final Object[] values;
        int calls;

        Answer(String key, Object[] arguments, boolean[] thrown, Object[] values) {
            this.key = key;
            this.arguments = arguments;
            this.thrown = thrown;
            this.values = values;
        }

        boolean matches(Object[] found) {
            if (arguments.length == 0) {
                return true;
            }
            for (int i = 0; i < arguments.length; i++) {
                if (arguments[i] != ANY && !Objects.deepEquals(arguments[i], found[i])) {
                    return false;
                }
            }
            return arguments.length == found.length;
        }
    }

    private final List<Answer> answers = new ArrayList<>();
    /** Where calls are kept; null: nowhere. */
    private final Interactions interactions;
    /** The variable of the stub. */
    private final int variable;

    Answers(Interactions interactions, int variable) {
        this.interactions = interactions;
        this.variable = variable;
    }

    void add(String name, String descriptor, Object[] arguments, boolean[] thrown, Object[] values) {
        answers.add(new Answer(key(name, descriptor), arguments, thrown, values));
    }

    /** What the call returns: the last answer that matches it, else the default. */
    Object give(Method method, Object[] arguments, Supplier<Object> otherwise) throws Throwable {
        if (interactions != null && !isOfObject(method)) {
            interactions.add(variable, method, arguments);
        }
        Answer answer = answers.isEmpty() ? null : find(key(method), arguments);
        if (answer == null) {
            return otherwise.get();
        }
        int call;
        synchronized (answer) {
            call = Math.min(answer.calls++, answer.values.length - 1);
        }
        Object value = answer.values[call];
        if (answer.thrown[call]) {
            throw here((Throwable) value);
        }
        Class<?> returned = method.getReturnType();
        if (!returned.isPrimitive()) {
            // An answer of the wrong type is a fault of the test case; a cast in the caller reports
            // it.
            return value;
        }
        return Values.fits(returned, value) ? Values.widen(returned, value) : Values.initial(returned);
    }

    private static boolean isOfObject(Method method) {
        return method.getDeclaringClass() == Object.class || method.getParameterCount() == 0 && method.getName().equals("toString");
    }

    private Answer find(String key, Object[] arguments) {
        for (int i = answers.size() - 1; i >= 0; i--) {
            Answer answer = answers.get(i);
            if (answer.key.equals(key) && answer.matches(arguments)) {
                return answer;
            }
        }
        return null;
    }

    /** The exception as Mockito throws it: its stack begins with the caller of the stub. */
    private static Throwable here(Throwable thrown) {
        thrown.fillInStackTrace();
        StackTraceElement[] frames = thrown.getStackTrace();
        int first = 0;
        while (first < frames.length && isOfStub(frames[first].getClassName())) {
            first++;
        }
        thrown.setStackTrace(java.util.Arrays.copyOfRange(frames, first, frames.length));
        return thrown;
    }

    private static boolean isOfStub(String className) {
        return className.startsWith(OWN_PACKAGE) || className.contains("$Proxy") || className.startsWith("java.lang.Throwable");
    }

    private static String key(Method method) {
        return key(method.getName(), descriptor(method));
    }

    private static String key(String name, String descriptor) {
        return name + descriptor.substring(0, descriptor.indexOf(')') + 1);
    }

    static String descriptor(Method method) {
        return MethodType.methodType(method.getReturnType(), method.getParameterTypes()).toMethodDescriptorString();
    }
}
