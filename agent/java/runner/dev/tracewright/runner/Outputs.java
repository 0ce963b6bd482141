package dev.tracewright.runner;

import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Classes of output values that are goals of the search. The engine reads them as {@code
 * OutputClass}. Calls no code under test.
 */
final class Outputs {
    private static final int NONE = 0, TRUE = 1, FALSE = 2, NEGATIVE = 3, ZERO = 4, POSITIVE = 5, NOT_A_NUMBER = 6, NULL = 7, EMPTY = 8,
            PRESENT = 9, GIVEN = 10, FRACTION = 11;

    private Outputs() {}

    /** {@code shape}: first character of the static type's descriptor. */
    private static int of(char shape, Object value) {
        if (shape == 'V') {
            return NONE;
        }
        if (value == null) {
            return shape == 'L' ? NULL : NONE;
        }
        if (value instanceof Boolean flag) {
            return flag ? TRUE : FALSE;
        }
        if (value instanceof Character unit) {
            return sign(unit);
        }
        if (value instanceof Double || value instanceof Float) {
            double real = ((Number) value).doubleValue();
            if (real != real) {
                return NOT_A_NUMBER;
            }
            boolean whole = real == Math.rint(real);
            return real == 0 ? ZERO : !whole ? FRACTION : real > 0 ? POSITIVE : NEGATIVE;
        }
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return sign(((Number) value).longValue());
        }
        if (value instanceof String string) {
            return size(string.length());
        }
        Class<?> type = value.getClass();
        if (type.isArray()) {
            return size(Array.getLength(value));
        }
        // A collection of the JDK: the call changes nothing. A wrapper of a project's collection
        // calls that one; an exception means that the value has no class.
        if (type.getClassLoader() == null) {
            if (value instanceof Optional<?> optional) {
                return size(optional.isPresent() ? 1 : 0);
            }
            if (value instanceof StringBuilder || value instanceof StringBuffer) {
                return size(((CharSequence) value).length());
            }
            String name = type.getName();
            boolean plain = name.startsWith("java.util.") && name.indexOf('$') < 0 || name.startsWith("java.util.ImmutableCollections$");
            if (plain && value instanceof Collection<?> collection) {
                return size(collection.isEmpty() ? 0 : 1);
            }
            if (plain && value instanceof Map<?, ?> map) {
                return size(map.isEmpty() ? 0 : 1);
            }
        }
        return PRESENT;
    }

    /**
     * The same for the value at {@code place}, where the values before it are known: an object that
     * one of them is has a class of its own. Texts and boxed values are shared by chance.
     */
    static int of(char shape, Object[] values, int place) {
        Object value = values[place];
        int output = of(shape, value);
        if (output != PRESENT || value instanceof String || value instanceof Number) {
            return output;
        }
        for (int earlier = 0; earlier < place; earlier++) {
            if (values[earlier] == value) {
                return GIVEN;
            }
        }
        return PRESENT;
    }

    private static int sign(long value) {
        return value == 0 ? ZERO : value > 0 ? POSITIVE : NEGATIVE;
    }

    private static int size(int size) {
        return size == 0 ? EMPTY : PRESENT;
    }
}
