package dev.tracewright.runner;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Writes values as far as an assertion can state them. The engine reads them as {@code Snapshot}.
 * Calls code under test, unless plain.
 */
final class Snapshots {
    static final int ABSENT = 0, NULL = 1, BOOLEAN = 2, BYTE = 3, CHAR = 4, SHORT = 5, INT = 6, LONG = 7, FLOAT = 8, DOUBLE = 9, STRING = 10,
            BOXED = 11, ENUM = 12, CLASS = 13, ARRAY = 14, OBJECT = 15;

    /** Objects whose {@code equals} compares what they hold. */
    private static final int NO_CONTAINER = 0, LIST = 1, SET = 2, MAP = 3, OPTIONAL = 4, RECORD = 5, VALUE = 6;

    private static final int LONGEST_STRING = 4096;
    private static final int LONGEST_TEXT = 1024;
    private static final int MOST_ELEMENTS = 64;
    private static final int DEEPEST = 3;
    /** Most elements of a container; a key and its value are two. */
    private static final int MOST_HELD = 10;
    private static final Object[] NO_VALUES = {};

    private final ClassTable classes;
    /**
     * Of objects that are no plain values, only class and identity are written: no code under test
     * is called.
     */
    private final boolean plain;
    private final Map<Class<?>, Boolean> overridesToString = new HashMap<>();
    private final Map<Class<?>, List<Field>> components = new HashMap<>();
    private final Map<Class<?>, List<Field>> constants = new HashMap<>();

    Snapshots(ClassTable classes, boolean plain) {
        this.classes = classes;
        this.plain = plain;
    }

    boolean isPlain() {
        return plain;
    }

    void forget() {
        overridesToString.clear();
        components.clear();
        constants.clear();
    }

    /**
     * Writes one value. {@code shape}: first character of the descriptor of the static type; the
     * value may be identical to values before {@code index}.
     */
    void write(Wire.Writer out, char shape, Object[] values, int index) {
        Object value = values[index];
        if (shape == 'V') {
            out.int8(ABSENT);
        } else if (shape != 'L') {
            primitive(out, value);
        } else {
            reference(out, value, values, index, 0);
        }
    }

    private static void primitive(Wire.Writer out, Object value) {
        if (value instanceof Integer i) {
            out.int8(INT).int32(i);
        } else if (value instanceof Boolean b) {
            out.int8(BOOLEAN).int8(b ? 1 : 0);
        } else if (value instanceof Long l) {
            out.int8(LONG).int64(l);
        } else if (value instanceof Double d) {
            out.int8(DOUBLE).int64(Double.doubleToRawLongBits(d));
        } else if (value instanceof Character c) {
            out.int8(CHAR).int16(c);
        } else if (value instanceof Float f) {
            out.int8(FLOAT).int32(Float.floatToRawIntBits(f));
        } else if (value instanceof Short s) {
            out.int8(SHORT).int16(s);
        } else if (value instanceof Byte b) {
            out.int8(BYTE).int8(b);
        } else {
            out.int8(ABSENT);
        }
    }

    private static boolean isBox(Object value) {
        return value instanceof Integer || value instanceof Boolean || value instanceof Long || value instanceof Double
                || value instanceof Character || value instanceof Float || value instanceof Short || value instanceof Byte;
    }

    /** Whether the value is described without its identity. */
    static boolean isPlainValue(Object value) {
        return value instanceof String || value instanceof Enum || value instanceof Class || isBox(value);
    }

    private void reference(Wire.Writer out, Object value, Object[] values, int index, int depth) {
        if (value == null) {
            out.int8(NULL);
        } else if (value instanceof String string) {
            out.int8(STRING);
            if (string.length() > LONGEST_STRING) {
                out.int8(0);
            } else {
                out.int8(1).chars(string);
            }
        } else if (isBox(value)) {
            out.int8(BOXED);
            primitive(out, value);
        } else if (value instanceof Enum<?> constant) {
            out.int8(ENUM);
            classes.write(out, constant.getDeclaringClass());
            out.string(constant.name());
        } else if (value instanceof Class<?> literal) {
            out.int8(CLASS);
            classes.write(out, literal);
        } else if (value.getClass().isArray()) {
            array(out, value, values, index, depth);
        } else {
            object(out, value, values, index, depth);
        }
    }

    private void array(Wire.Writer out, Object array, Object[] values, int index, int depth) {
        Class<?> element = array.getClass().getComponentType();
        int length = Array.getLength(array);
        out.int8(ARRAY);
        classes.write(out, element);
        out.int32(length);
        if (length > MOST_ELEMENTS || depth >= DEEPEST) {
            out.int8(0);
            return;
        }
        out.int8(1);
        for (int i = 0; i < length; i++) {
            if (element.isPrimitive()) {
                primitive(out, Array.get(array, i));
            } else {
                reference(out, Array.get(array, i), values, index, depth + 1);
            }
        }
    }

    private void object(Wire.Writer out, Object object, Object[] values, int index, int depth) {
        out.int8(OBJECT);
        classes.write(out, object.getClass());
        int same = -1;
        for (int i = 0; i < index && same < 0; i++) {
            if (values[i] == object) {
                same = i;
            }
        }
        out.int32(same);
        out.int32(plain ? -1 : size(object));
        boolean whole = contents(out, object);
        String text = plain || whole ? null : text(object);
        if (text == null) {
            out.int8(0);
        } else {
            out.int8(1).chars(text);
        }
    }

    /**
     * Writes what a container or value of the JDK or a record holds, where all of it is plain or held by such
     * objects; else that there is nothing to say. A view or wrapper of a project's collection calls
     * that one.
     */
    private boolean contents(Wire.Writer out, Object object) {
        List<Object> held = new ArrayList<>();
        int kind = isWhole(object, 0) ? collected(object, held) : NO_CONTAINER;
        out.int8(kind);
        if (kind == NO_CONTAINER) {
            return false;
        }
        out.int32(held.size());
        for (Object element : held) {
            Field constant = isSaid(element, 1) ? null : constantOf(element);
            if (constant == null) {
                reference(out, element, NO_VALUES, 0, DEEPEST);
            } else {
                out.int8(ENUM);
                classes.write(out, constant.getDeclaringClass());
                out.string(constant.getName());
            }
        }
        return true;
    }

    /** Whether plain values say all of the object, or it is a constant of its class inside another object. */
    private boolean isWhole(Object object, int depth) {
        return isSaid(object, depth) || depth > 0 && constantOf(object) != null;
    }

    /** Whether plain values say all of the object. */
    private boolean isSaid(Object object, int depth) {
        if (object == null || isPlainValue(object)) {
            return true;
        }
        List<Object> held = new ArrayList<>();
        if (depth >= DEEPEST || collected(object, held) == NO_CONTAINER) {
            return false;
        }
        for (Object element : held) {
            if (!isWhole(element, depth + 1)) {
                return false;
            }
        }
        return true;
    }

    /** The static final field of the object's own class that holds the object; null where there is none. */
    private Field constantOf(Object object) {
        try {
            for (Field constant : constants.computeIfAbsent(object.getClass(), Snapshots::constantsOf)) {
                if (constant.get(null) == object) {
                    return constant;
                }
            }
        } catch (ReflectiveOperationException | LinkageError unreadable) {
            return null;
        }
        return null;
    }

    private static List<Field> constantsOf(Class<?> type) {
        int wanted = Modifier.STATIC | Modifier.FINAL;
        List<Field> fields = new ArrayList<>();
        try {
            for (Field field : type.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                boolean isNamed = !Modifier.isPrivate(modifiers) && !field.isSynthetic() && field.getType() == type;
                if (isNamed && (modifiers & wanted) == wanted && field.trySetAccessible()) {
                    fields.add(field);
                }
            }
        } catch (LinkageError | RuntimeException none) {
            return List.of();
        }
        return fields;
    }

    /** The kind of the container; its elements are added. */
    private int collected(Object object, List<Object> held) {
        try {
            int kind = collect(object, held);
            return held.size() > MOST_HELD ? NO_CONTAINER : kind;
        } catch (Throwable thrown) {
            rethrowOurs(thrown);
            return NO_CONTAINER;
        }
    }

    private int collect(Object object, List<Object> held) throws ReflectiveOperationException {
        Class<?> type = object.getClass();
        if (type.isRecord() || type.getClassLoader() != null) {
            List<Field> fields = components.computeIfAbsent(type, Snapshots::componentsOf);
            for (Field component : fields) {
                held.add(component.get(object));
            }
            return type.isRecord() || !fields.isEmpty() ? RECORD : NO_CONTAINER;
        }
        String text = JdkValues.textOf(object);
        if (text != null) {
            held.add(text);
            return VALUE;
        }
        if (!type.getName().startsWith("java.util.")) {
            return NO_CONTAINER;
        }
        if (object instanceof Optional<?> optional) {
            optional.ifPresent(held::add);
            return OPTIONAL;
        }
        if (object instanceof List<?> || object instanceof Set<?>) {
            for (Object element : (Collection<?>) object) {
                held.add(element);
                if (held.size() > MOST_HELD) {
                    break;
                }
            }
            return object instanceof List<?> ? LIST : SET;
        }
        if (object instanceof Map<?, ?> map && !(map instanceof IdentityHashMap) && !(map instanceof WeakHashMap)) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                held.add(entry.getKey());
                held.add(entry.getValue());
                if (held.size() > MOST_HELD) {
                    break;
                }
            }
            return MAP;
        }
        return NO_CONTAINER;
    }

    /** The fields of the components of a record, or of a data class of Kotlin; none for another class. */
    private static List<Field> componentsOf(Class<?> type) {
        return type.isRecord() ? recordComponentsOf(type) : dataComponentsOf(type);
    }

    /** The fields of a record's components; a component without a readable one throws later. */
    private static List<Field> recordComponentsOf(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            try {
                Field field = type.getDeclaredField(component.getName());
                field.setAccessible(true);
                fields.add(field);
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        return fields;
    }

    /**
     * The fields of the components of a data class of Kotlin, in their order. The compiler writes them
     * before all other fields of the object.
     */
    private static List<Field> dataComponentsOf(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        try {
            for (Field field : type.getDeclaredFields()) {
                Class<?> component = Modifier.isStatic(field.getModifiers()) ? null : componentType(type, fields.size() + 1);
                if (component != null) {
                    if (component != field.getType()) {
                        return List.of();
                    }
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
            boolean isWhole = !fields.isEmpty() && componentType(type, fields.size() + 1) == null;
            Class<?>[] types = fields.stream().map(Field::getType).toArray(Class<?>[]::new);
            return isWhole && type.getDeclaredMethod("copy", types).getReturnType() == type ? fields : List.of();
        } catch (ReflectiveOperationException | LinkageError | RuntimeException none) {
            return List.of();
        }
    }

    /** What {@code component1} or another such method returns; null for a class without it. */
    private static Class<?> componentType(Class<?> type, int number) {
        try {
            return type.getDeclaredMethod("component" + number).getReturnType();
        } catch (NoSuchMethodException none) {
            return null;
        }
    }

    private static int size(Object object) {
        try {
            if (object instanceof Collection<?> collection) {
                return Math.max(-1, collection.size());
            }
            if (object instanceof Map<?, ?> map) {
                return Math.max(-1, map.size());
            }
        } catch (Throwable thrown) {
            rethrowOurs(thrown);
        }
        return -1;
    }

    private String text(Object object) {
        if (object instanceof Proxy || !overridesToString.computeIfAbsent(object.getClass(), Snapshots::overrides)) {
            return null;
        }
        try {
            String text = object.toString();
            return text == null || text.length() > LONGEST_TEXT || namesIdentity(text) ? null : text;
        } catch (Throwable thrown) {
            rethrowOurs(thrown);
            return null;
        }
    }

    /** Rethrows what must end the whole observation, not only this value. */
    private static void rethrowOurs(Throwable thrown) {
        if (Sink.isBudget(thrown)) {
            throw (Error) thrown;
        }
    }

    private static boolean overrides(Class<?> of) {
        try {
            return of.getMethod("toString").getDeclaringClass() != Object.class;
        } catch (ReflectiveOperationException | LinkageError unknown) {
            return false;
        }
    }

    /**
     * Whether a string holds what {@code Object.toString} writes: {@code @} and a hexadecimal
     * number.
     */
    private static boolean namesIdentity(String text) {
        for (int at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
            if (at + 1 < text.length() && Character.digit(text.charAt(at + 1), 16) >= 0) {
                return true;
            }
        }
        return false;
    }
}
