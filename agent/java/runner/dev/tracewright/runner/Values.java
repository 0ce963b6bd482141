package dev.tracewright.runner;

/** Method invocation conversion (JLS §5.3) of run-time values. */
final class Values {
    private Values() {}

    /**
     * Whether a variable of the type can take the value: assignable references, unboxing and
     * widening for primitives.
     */
    static boolean fits(Class<?> type, Object value) {
        if (!type.isPrimitive()) {
            return value == null || type.isInstance(value);
        }
        if (value == null) {
            return false;
        }
        if (type == int.class) {
            return value instanceof Integer || value instanceof Character || value instanceof Short || value instanceof Byte;
        } else if (type == boolean.class) {
            return value instanceof Boolean;
        } else if (type == char.class) {
            return value instanceof Character;
        } else if (type == byte.class) {
            return value instanceof Byte;
        } else if (type == short.class) {
            return value instanceof Short || value instanceof Byte;
        } else if (type == long.class) {
            return value instanceof Long || fits(int.class, value);
        } else if (type == float.class) {
            return value instanceof Float || fits(long.class, value);
        } else {
            return value instanceof Double || fits(float.class, value);
        }
    }

    /** Converts a box that fits into a primitive type into the box of that type. */
    static Object widen(Class<?> type, Object value) {
        if (type == int.class && !(value instanceof Integer)) {
            return value instanceof Character c ? (Object) (int) c : (Object) ((Number) value).intValue();
        } else if (type == short.class && value instanceof Byte b) {
            return (short) b;
        } else if (type == long.class && !(value instanceof Long)) {
            return value instanceof Character c ? (Object) (long) c : (Object) ((Number) value).longValue();
        } else if (type == float.class && !(value instanceof Float)) {
            return value instanceof Character c ? (Object) (float) c : (Object) ((Number) value).floatValue();
        } else if (type == double.class && !(value instanceof Double)) {
            return value instanceof Character c ? (Object) (double) c : (Object) ((Number) value).doubleValue();
        }
        return value;
    }

    /** The initial value of a type: 0, false or null. */
    static Object initial(Class<?> type) {
        if (!type.isPrimitive() || type == void.class) {
            return null;
        }
        return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0);
    }
}
