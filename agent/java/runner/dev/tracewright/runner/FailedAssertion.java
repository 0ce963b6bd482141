package dev.tracewright.runner;

/**
 * What the exception of a failed assertion tells. In: the exception. Out: the line of the assertion, and the value
 * that it found, in a form to send. Must not know JUnit's classes: they are of the user's version.
 */
final class FailedAssertion {
    private static final String[] LIBRARIES = {"org.junit.", "org.opentest4j.", "org.assertj.", "junit.framework."};
    private static final String[] JDK = {"java.", "jdk.", "sun."};

    private FailedAssertion() {}

    /** The line of the test class where an assertion failed; 0 where other code threw, or where none is known. */
    static int line(Throwable thrown, String testClass) {
        if (!(thrown instanceof AssertionError)) {
            return 0;
        }
        // The exception is made by reflection where a library does not know the class of exceptions it may use.
        boolean began = false;
        for (StackTraceElement frame : thrown.getStackTrace()) {
            String name = frame.getClassName();
            if (name.equals(testClass)) {
                return Math.max(frame.getLineNumber(), 0);
            } else if (begins(name, LIBRARIES)) {
                began = true;
            } else if (began || !begins(name, JDK)) {
                return 0;
            }
        }
        return 0;
    }

    private static boolean begins(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** The value that the assertion found: a letter for its kind, and its text. Empty where it is not told. */
    static String found(Throwable thrown) {
        try {
            Object found = thrown.getClass().getMethod("getActual").invoke(thrown);
            if (found instanceof String text) {
                return "s" + text;
            } else if (found == null || !(boolean) call(thrown, "isActualDefined")) {
                return "";
            }
            return sent(call(found, "getValue"));
        } catch (ReflectiveOperationException other) {
            return "";
        }
    }

    private static Object call(Object receiver, String name) throws ReflectiveOperationException {
        return receiver.getClass().getMethod(name).invoke(receiver);
    }

    private static String sent(Object value) {
        if (value == null) {
            return "N";
        } else if (value instanceof Boolean) {
            return "Z" + value;
        } else if (value instanceof Byte) {
            return "B" + value;
        } else if (value instanceof Short) {
            return "S" + value;
        } else if (value instanceof Character unit) {
            return "C" + (int) unit;
        } else if (value instanceof Integer) {
            return "I" + value;
        } else if (value instanceof Long) {
            return "J" + value;
        } else if (value instanceof Float number) {
            return "F" + Float.floatToRawIntBits(number);
        } else if (value instanceof Double number) {
            return "D" + Double.doubleToRawLongBits(number);
        } else if (value instanceof String) {
            return "s" + value;
        } else if (value instanceof Class<?> type && !type.isArray() && !type.isPrimitive()) {
            return "T" + type.getName();
        } else if (value instanceof Enum<?> constant) {
            return "E" + constant.getDeclaringClass().getName() + "." + constant.name();
        }
        return "";
    }
}
