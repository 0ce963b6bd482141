package java.lang;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import jdk.internal.misc.Unsafe;

/**
 * What the sink knows of a class, computed once. Flows in: a class; flows out: its number, kind of
 * contents, static fields. Must not keep a class alive: the class itself holds the result.
 */
final class TracewrightClasses extends ClassValue<TracewrightClasses.Info> {
    static final TracewrightClasses INSTANCE = new TracewrightClasses();

    static final class Info {
        final Class<?> type;
        /** Its number in traces; 0: none yet. */
        int id;
        /** Kind of its contents ({@code CONTENT} operand); -1: none. */
        final int content;
        final boolean array;
        /** 0: unknown, 1: instances never change, 2: they may change. */
        byte mutable;
        StaticFields statics;
        TracewrightState.Layout layout;

        Info(Class<?> type) {
            this.type = type;
            this.array = type.isArray();
            this.content = contentKind(type);
        }
    }

    /** The static fields that {@code reinitialise} zeroes. */
    static final class StaticFields {
        Object base;
        long[] offsets;
        char[] kinds;
        /**
         * There is a final field whose value may be compiled into code: such code would not see the
         * zero.
         */
        boolean finals;
        /** The class has static fields. */
        boolean any;
    }

    @Override
    protected Info computeValue(Class<?> type) {
        return new Info(type);
    }

    private static int contentKind(Class<?> type) {
        if (type == String.class) {
            return 0;
        } else if (type == boolean[].class) {
            return 1;
        } else if (type == byte[].class) {
            return 2;
        } else if (type == char[].class) {
            return 3;
        } else if (type == short[].class) {
            return 4;
        } else if (type == int[].class) {
            return 5;
        } else if (type == long[].class) {
            return 6;
        } else if (type == float[].class) {
            return 7;
        } else if (type == double[].class) {
            return 8;
        } else if (type == Integer.class || type == Boolean.class || type == Character.class || type == Byte.class
                || type == Short.class || type == Float.class) {
            return 9;
        } else if (type == Long.class || type == Double.class) {
            return 10;
        }
        return -1;
    }

    /**
     * Whether an instance of this class may change after construction, as far as its fields say. It
     * does not, where all fields are final and of immutable types. An unmodifiable collection of
     * mutable elements counts as mutable.
     */
    static boolean isMutable(Class<?> type) {
        Info info = INSTANCE.get(type);
        if (info.mutable == 0) {
            info.mutable = 2; // a cycle of types counts as mutable
            info.mutable = (byte) (computeMutable(type) ? 2 : 1);
        }
        return info.mutable == 2;
    }

    private static boolean computeMutable(Class<?> type) {
        if (type.isArray()) {
            return true;
        }
        if (type == String.class || type == Class.class || type == Object.class || contentKind(type) >= 9
                || type == java.math.BigInteger.class || type == java.math.BigDecimal.class || type == java.util.Locale.class
                || type == java.util.regex.Pattern.class || type == java.util.UUID.class || type == java.io.File.class
                || type == java.net.URI.class || type == java.net.URL.class || java.nio.charset.Charset.class.isAssignableFrom(type)
                || Enum.class.isAssignableFrom(type) || java.time.ZoneId.class.isAssignableFrom(type)
                || java.nio.file.Path.class.isAssignableFrom(type)) {
            return false;
        }
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                Class<?> of = field.getType();
                if (!Modifier.isFinal(field.getModifiers())) {
                    return true;
                }
                // The value of a field whose type is not final may be of a mutable subclass.
                if (!of.isPrimitive() && (!Modifier.isFinal(of.getModifiers()) && !of.isEnum() || isMutable(of))) {
                    return true;
                }
            }
        }
        return false;
    }

    static int length(Object array) {
        return java.lang.reflect.Array.getLength(array);
    }

    static Object copy(Object array) {
        int length = length(array);
        Object copy = java.lang.reflect.Array.newInstance(array.getClass().getComponentType(), length);
        System.arraycopy(array, 0, copy, 0, length);
        return copy;
    }

    static StaticFields staticFields(Class<?> type) {
        Info info = INSTANCE.get(type);
        if (info.statics == null) {
            Unsafe unsafe = Unsafe.getUnsafe();
            StaticFields statics = new StaticFields();
            Field[] fields = type.getDeclaredFields();
            statics.offsets = new long[fields.length];
            statics.kinds = new char[fields.length];
            for (int i = 0; i < fields.length; i++) {
                int modifiers = fields[i].getModifiers();
                if (!Modifier.isStatic(modifiers)) {
                    continue;
                }
                statics.any = true;
                Class<?> of = fields[i].getType();
                if (Modifier.isFinal(modifiers)) {
                    // A constant (ConstantValue) is still final. Any other final field was not
                    // rewritten.
                    statics.finals |= !of.isPrimitive() && of != String.class;
                    continue;
                }
                statics.base = unsafe.staticFieldBase(fields[i]);
                statics.offsets[i] = unsafe.staticFieldOffset(fields[i]);
                statics.kinds[i] = of.isPrimitive() ? of.descriptorString().charAt(0) : 'L';
            }
            info.statics = statics;
        }
        return info.statics;
    }

    /** Zeroes the static fields. False: not all of them can be zeroed. */
    static boolean zero(Class<?> type) {
        StaticFields statics = staticFields(type);
        if (statics.finals) {
            return false;
        }
        Unsafe unsafe = Unsafe.getUnsafe();
        Object base = statics.base;
        for (int i = 0; i < statics.kinds.length; i++) {
            long offset = statics.offsets[i];
            switch (statics.kinds[i]) {
                case 'Z':
                    unsafe.putBoolean(base, offset, false);
                    break;
                case 'B':
                    unsafe.putByte(base, offset, (byte) 0);
                    break;
                case 'C':
                    unsafe.putChar(base, offset, '\0');
                    break;
                case 'S':
                    unsafe.putShort(base, offset, (short) 0);
                    break;
                case 'I':
                    unsafe.putInt(base, offset, 0);
                    break;
                case 'J':
                    unsafe.putLong(base, offset, 0);
                    break;
                case 'F':
                    unsafe.putFloat(base, offset, 0);
                    break;
                case 'D':
                    unsafe.putDouble(base, offset, 0);
                    break;
                case 'L':
                    unsafe.putReference(base, offset, null);
                    break;
                default: // not static
            }
        }
        return true;
    }
}
