package java.lang;

import jdk.internal.vm.annotation.ForceInline;

/**
 * The encoding of events. Flows in: operands of one event; flows out: its bytes, at the position of
 * a buffer. Must not know when events are written. The format is that of docs/formats/trace.md.
 *
 * <p>The position of the buffer is set after an event is whole, so that an error in between leaves
 * no half event. Methods are inlined into all probes, and have few branches: where paths meet in a
 * loop, compiled code reads the position from memory again.
 */
final class TracewrightEvents {
    private static final byte CONTENT = 27;
    /** Elements of a string or array that are written into a trace, at most. */
    private static final int CONTENT_BOUND = 4096;
    /**
     * In the first word of a reference: this run has described the object before. Identity hashes
     * have 31 bits.
     */
    private static final int SEEN = 1 << 31;

    private TracewrightEvents() {}

    /** Gives the class a number and announces it in the trace. */
    static native int announce(Class<?> type);

    @ForceInline
    static void write(TracewrightBuffer buffer, int kind) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, (byte) kind);
        buffer.at = at + 1;
    }

    @ForceInline
    static void write(TracewrightBuffer buffer, byte kind, int value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putInt(at + 1, value);
        buffer.at = at + 5;
    }

    @ForceInline
    static void write(TracewrightBuffer buffer, byte kind, long value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putLong(at + 1, value);
        buffer.at = at + 9;
    }

    @ForceInline
    static void write(TracewrightBuffer buffer, byte kind, int operand, int value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putInt(at + 1, operand);
        TracewrightBuffer.UNSAFE.putInt(at + 5, value);
        buffer.at = at + 9;
    }

    @ForceInline
    static void write(TracewrightBuffer buffer, byte kind, int operand, long value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putInt(at + 1, operand);
        TracewrightBuffer.UNSAFE.putLong(at + 5, value);
        buffer.at = at + 13;
    }

    @ForceInline
    static void argument(TracewrightBuffer buffer, byte kind, int index, int value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putByte(at + 1, (byte) index);
        TracewrightBuffer.UNSAFE.putInt(at + 2, value);
        buffer.at = at + 6;
    }

    @ForceInline
    static void argument(TracewrightBuffer buffer, byte kind, int index, long value) {
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, kind);
        TracewrightBuffer.UNSAFE.putByte(at + 1, (byte) index);
        TracewrightBuffer.UNSAFE.putLong(at + 2, value);
        buffer.at = at + 10;
    }

    /**
     * Writes the reference that ends an event. The first bytes of the event are written already, up
     * to {@code at}.
     */
    @ForceInline
    static void reference(TracewrightBuffer buffer, long at, Object value) {
        if (value == null) {
            TracewrightBuffer.UNSAFE.putInt(at, 0);
            buffer.at = at + 4;
            return;
        }
        int hash = System.identityHashCode(value);
        if (buffer.seen[hash & 255] == value) {
            TracewrightBuffer.UNSAFE.putInt(at, hash | SEEN);
            buffer.at = at + 4;
            return;
        }
        describe(buffer, at, value, hash, false);
    }

    /**
     * The same for a result. An array of primitives that comes from code without probes is written
     * with its contents each time.
     */
    @ForceInline
    static void result(TracewrightBuffer buffer, long at, Object value) {
        if (value == null || !value.getClass().isArray()) {
            reference(buffer, at, value);
        } else {
            describe(buffer, at, value, System.identityHashCode(value), buffer.at != buffer.exitAt);
        }
    }

    static void describe(TracewrightBuffer buffer, long at, Object value, int hash, boolean arrays) {
        if (buffer.isFull()) {
            int begun = (int) (at - buffer.at);
            long header = TracewrightBuffer.UNSAFE.getLong(buffer.at);
            buffer.flush();
            TracewrightBuffer.UNSAFE.putLong(buffer.at, header);
            at = buffer.at + begun;
        }
        // Objects of a recorded program are not kept alive: a run knows their hashes and those of
        // their classes.
        TracewrightClasses.Info info = info(value.getClass());
        boolean constant = info.content >= 0 && !info.array;
        boolean known = buffer.run == null ? buffer.seen[hash & 255] == value : buffer.run.knows(value, hash, constant);
        if (known) {
            TracewrightBuffer.UNSAFE.putInt(at, hash | SEEN);
            buffer.at = at + 4;
        } else {
            int id = info.id;
            if (id == 0) {
                id = info.id = announce(info.type);
            }
            TracewrightBuffer.UNSAFE.putInt(at, hash);
            TracewrightBuffer.UNSAFE.putInt(at + 4, id);
            TracewrightBuffer.UNSAFE.putInt(at + 8, info.array ? java.lang.reflect.Array.getLength(value) : 0);
            buffer.at = at + 12;
            if (buffer.run == null) {
                buffer.seen[hash & 255] = value;
            } else {
                buffer.run.described(value, hash, constant);
            }
        }
        if (info.content >= 0 && (info.array ? arrays : !known)) {
            content(buffer, info.content, value);
        }
    }

    private static final TracewrightClasses.Info[] INFOS = new TracewrightClasses.Info[256];

    /**
     * What is known of a class, by a direct-mapped cache in front of the map of the class. An entry
     * is immutable but for idempotent fields, so races are harmless.
     */
    static TracewrightClasses.Info info(Class<?> type) {
        int slot = System.identityHashCode(type) & 255;
        TracewrightClasses.Info info = INFOS[slot];
        if (info == null || info.type != type) {
            info = TracewrightClasses.INSTANCE.get(type);
            // The cache keeps no class alive that the recorded program could unload.
            if (!TracewrightRun.enabled || type.getClassLoader() == null) {
                INFOS[slot] = info;
            }
        }
        return info;
    }

    /** CONTENT: kind, length, number of elements written, elements. The caller has made room. */
    static void content(TracewrightBuffer buffer, int kind, Object value) {
        jdk.internal.misc.Unsafe unsafe = TracewrightBuffer.UNSAFE;
        long at = buffer.at;
        long next = at + 10;
        int length;
        int count;
        if (kind == 0) {
            String string = (String) value;
            length = string.length();
            count = Math.min(length, CONTENT_BOUND);
            for (int i = 0; i < count; i++) {
                unsafe.putChar(next, string.charAt(i));
                next += 2;
            }
        } else if (kind == 9) {
            length = count = 1;
            unsafe.putInt(next, value instanceof Integer ? (Integer) value : value instanceof Boolean ? ((Boolean) value ? 1 : 0)
                    : value instanceof Character ? (Character) value
                    : value instanceof Float ? Float.floatToRawIntBits((Float) value) : ((Number) value).intValue());
            next += 4;
        } else if (kind == 10) {
            length = count = 1;
            unsafe.putLong(next, value instanceof Long ? (Long) value : Double.doubleToRawLongBits((Double) value));
            next += 8;
        } else {
            length = java.lang.reflect.Array.getLength(value);
            count = Math.min(length, CONTENT_BOUND);
            next = elements(next, count, kind, value);
        }
        unsafe.putByte(at, CONTENT);
        unsafe.putByte(at + 1, (byte) kind);
        unsafe.putInt(at + 2, length);
        unsafe.putInt(at + 6, count);
        buffer.at = next;
    }

    private static long elements(long next, int count, int kind, Object value) {
        jdk.internal.misc.Unsafe unsafe = TracewrightBuffer.UNSAFE;
        switch (kind) {
            case 1:
                for (int i = 0; i < count; i++) {
                    unsafe.putByte(next + i, (byte) (((boolean[]) value)[i] ? 1 : 0));
                }
                return next + 1L * count;
            case 2:
                for (int i = 0; i < count; i++) {
                    unsafe.putByte(next + i, ((byte[]) value)[i]);
                }
                return next + 1L * count;
            case 3:
                for (int i = 0; i < count; i++) {
                    unsafe.putChar(next + 2L * i, ((char[]) value)[i]);
                }
                return next + 2L * count;
            case 4:
                for (int i = 0; i < count; i++) {
                    unsafe.putShort(next + 2L * i, ((short[]) value)[i]);
                }
                return next + 2L * count;
            case 5:
                for (int i = 0; i < count; i++) {
                    unsafe.putInt(next + 4L * i, ((int[]) value)[i]);
                }
                return next + 4L * count;
            case 6:
                for (int i = 0; i < count; i++) {
                    unsafe.putLong(next + 8L * i, ((long[]) value)[i]);
                }
                return next + 8L * count;
            case 7:
                for (int i = 0; i < count; i++) {
                    unsafe.putInt(next + 4L * i, Float.floatToRawIntBits(((float[]) value)[i]));
                }
                return next + 4L * count;
            default:
                for (int i = 0; i < count; i++) {
                    unsafe.putLong(next + 8L * i, Double.doubleToRawLongBits(((double[]) value)[i]));
                }
                return next + 8L * count;
        }
    }
}
