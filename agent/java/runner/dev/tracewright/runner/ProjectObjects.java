package dev.tracewright.runner;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Reads serialized objects as the code of a test does: the classes are those that the loader of the
 * code under test finds. An {@code ObjectInputStream} asks the loader of the nearest caller, which is
 * the runner here.
 */
final class ProjectObjects extends ObjectInputStream {
    private final ClassLoader loader;

    private ProjectObjects(ClassLoader loader, InputStream in) throws IOException {
        super(in);
        this.loader = loader;
    }

    /** The constructor for a loader, which takes a stream. */
    static MethodHandle constructor(ClassLoader loader) throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(void.class, ClassLoader.class, InputStream.class);
        return MethodHandles.lookup().findConstructor(ProjectObjects.class, type).bindTo(loader);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
        try {
            return Class.forName(description.getName(), false, loader);
        } catch (ClassNotFoundException primitive) {
            return super.resolveClass(description);
        }
    }
}
