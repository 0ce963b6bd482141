package dev.tracewright.runner;

import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;

/**
 * State of the whole JVM that code under test can change. Puts it back after each run, and tells
 * what had changed.
 */
final class World {
    /** Parts of this state, as bits of what {@link #restore} returns. */
    static final int PROPERTIES = 1, LOCALE = 2, TIME_ZONE = 4, OUT = 8, ERR = 16, IN = 32, EXCEPTION_HANDLER = 64, FILES = 128,
            THREAD_LOCALS = 256, PROVIDERS = 512;
    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());
    private static final InputStream NOTHING = InputStream.nullInputStream();

    /**
     * Writes null into a reference field of an object, by offset. Null: this JDK has no such field.
     */
    private static final MethodHandle CLEAR = clearer();
    /** Reads a reference field of a thread, by offset. Null: this JDK has no such field. */
    private static final MethodHandle READ = reader();
    private static final long THREAD_LOCALS_AT = offset("threadLocals");
    private static final long INHERITABLE_THREAD_LOCALS_AT = offset("inheritableThreadLocals");

    private final Properties properties;
    /** Null where all properties are compared. */
    private WatchedProperties watched;
    private final PrintStream out;
    private final PrintStream err;
    private final InputStream in;
    private final Thread.UncaughtExceptionHandler handler;
    private final Locale locale;
    private final Locale format;
    private final Locale display;
    private final TimeZone zone;
    private final File temporary;
    private final SecurityProviders providers = new SecurityProviders();

    /** A world without output, in which changes are found fast. */
    World(Config config) {
        this(config.temporary, NOWHERE, NOWHERE, NOTHING, (thread, thrown) -> {});
        watched = new WatchedProperties(properties);
        System.setProperties(watched);
        System.setOut(out);
        System.setErr(err);
        System.setIn(in);
        Thread.setDefaultUncaughtExceptionHandler(handler);
        if (config.pinsSalt) {
            pinSalt(config.salt);
        }
    }

    /** The world as it is. Files in the folder {@code temporary} are no part of it. */
    World(String temporary) {
        this(temporary, System.out, System.err, System.in, Thread.getDefaultUncaughtExceptionHandler());
    }

    private World(String temporary, PrintStream out, PrintStream err, InputStream in, Thread.UncaughtExceptionHandler handler) {
        this.temporary = new File(temporary);
        this.out = out;
        this.err = err;
        this.in = in;
        this.handler = handler;
        properties = (Properties) System.getProperties().clone();
        locale = Locale.getDefault();
        format = Locale.getDefault(Locale.Category.FORMAT);
        display = Locale.getDefault(Locale.Category.DISPLAY);
        zone = TimeZone.getDefault();
    }

    /**
     * To be called after each run. Usually nothing has changed, and this takes a few comparisons.
     * Returns the parts that had changed.
     */
    int restore() throws Throwable {
        int changed = 0;
        Thread.interrupted();
        if (CLEAR != null && READ != null && THREAD_LOCALS_AT >= 0 && INHERITABLE_THREAD_LOCALS_AT >= 0) {
            Thread current = Thread.currentThread();
            if ((Object) READ.invokeExact(current, THREAD_LOCALS_AT) != null
                    || (Object) READ.invokeExact(current, INHERITABLE_THREAD_LOCALS_AT) != null) {
                changed |= THREAD_LOCALS;
            }
            CLEAR.invokeExact(current, THREAD_LOCALS_AT);
            CLEAR.invokeExact(current, INHERITABLE_THREAD_LOCALS_AT);
        }
        if (System.out != out) {
            System.setOut(out);
            changed |= OUT;
        }
        if (System.err != err) {
            System.setErr(err);
            changed |= ERR;
        }
        if (System.in != in) {
            System.setIn(in);
            changed |= IN;
        }
        if (Thread.getDefaultUncaughtExceptionHandler() != handler) {
            Thread.setDefaultUncaughtExceptionHandler(handler);
            changed |= EXCEPTION_HANDLER;
        }
        if (watched == null) {
            if (!properties.equals(System.getProperties())) {
                System.setProperties((Properties) properties.clone());
                changed |= PROPERTIES;
            }
        } else if (System.getProperties() != watched || watched.touched) {
            if (!properties.equals(System.getProperties())) {
                changed |= PROPERTIES;
            }
            watched = new WatchedProperties(properties);
            System.setProperties(watched);
        }
        if (Locale.getDefault() != locale || Locale.getDefault(Locale.Category.FORMAT) != format
                || Locale.getDefault(Locale.Category.DISPLAY) != display) {
            Locale.setDefault(locale);
            Locale.setDefault(Locale.Category.FORMAT, format);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            changed |= LOCALE;
        }
        if (!zone.equals(TimeZone.getDefault())) {
            TimeZone.setDefault(zone);
            changed |= TIME_ZONE;
        }
        if (providers.restore()) {
            changed |= PROVIDERS;
        }
        String[] left = temporary.list();
        if (left != null && left.length > 0) {
            for (String name : left) {
                delete(new File(temporary, name));
            }
            changed |= FILES;
        }
        return changed;
    }

    /** Whether more than half of the heap is in use. */
    static boolean isHeapSpent() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory() > runtime.maxMemory() / 2;
    }

    /** Thread locals outlive a run with their thread, and no interface lists them. */
    private static MethodHandle clearer() {
        try {
            MethodHandle put = JdkUnsafe.method("putReference", void.class, Object.class, long.class, Object.class);
            return MethodHandles.insertArguments(put, 2, (Object) null)
                    .asType(MethodType.methodType(void.class, Thread.class, long.class));
        } catch (ReflectiveOperationException | RuntimeException otherJdk) {
            return null;
        }
    }

    private static MethodHandle reader() {
        try {
            return JdkUnsafe.method("getReference", Object.class, Object.class, long.class)
                    .asType(MethodType.methodType(Object.class, Thread.class, long.class));
        } catch (ReflectiveOperationException | RuntimeException otherJdk) {
            return null;
        }
    }

    /** Where threads keep the field; -1: this JDK has no such field. */
    private static long offset(String field) {
        try {
            MethodHandle offset = JdkUnsafe.method("objectFieldOffset", long.class, Class.class, String.class);
            return (long) offset.invoke(Thread.class, field);
        } catch (Throwable otherJdk) {
            return -1;
        }
    }

    private static void delete(File file) {
        // A link is deleted, never followed.
        File[] inside = java.nio.file.Files.isSymbolicLink(file.toPath()) ? null : file.listFiles();
        if (inside != null) {
            for (File one : inside) {
                delete(one);
            }
        }
        file.delete();
    }

    /**
     * Sets the salt that decides where {@code Set.of} and {@code Map.of} begin their iteration. The
     * JVM draws it at its start. Lookups do not depend on it, so it may change while sets exist.
     * The fields are static and final: only the JDK's own Unsafe can write them, and JVM options
     * keep the compiler from using them as constants.
     */
    private static void pinSalt(int salt) {
        try {
            Class<?> collections = Class.forName("java.util.ImmutableCollections");
            MethodHandle base = JdkUnsafe.method("staticFieldBase", Object.class, Field.class);
            MethodHandle offset = JdkUnsafe.method("staticFieldOffset", long.class, Field.class);
            Field saltField = collections.getDeclaredField("SALT32L");
            Field reverseField = collections.getDeclaredField("REVERSE");
            JdkUnsafe.method("putLong", void.class, Object.class, long.class, long.class)
                    .invoke((Object) base.invoke(saltField), (long) offset.invoke(saltField), salt & 0xffff_ffffL);
            JdkUnsafe.method("putBoolean", void.class, Object.class, long.class, boolean.class)
                    .invoke((Object) base.invoke(reverseField), (long) offset.invoke(reverseField), (salt & 1) == 0);
        } catch (Throwable otherJdk) {
            // The class has another layout: the JVM's salt stays, so executions that depend on
            // iteration order differ.
        }
    }
}
