package dev.tracewright.runner;

import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The code under test: its class loader, and the types and members that the engine's ids name.
 * Definitions of ids stay when the class loader is replaced; resolved types and members do not.
 */
final class Project {
    private static final MethodHandles.Lookup OWN = MethodHandles.lookup();

    private final Config config;
    private final Set<String> testPackages = new HashSet<>();
    private final List<Type> types = new ArrayList<>();
    private final List<Callable> callables = new ArrayList<>();
    private final List<Variable> variables = new ArrayList<>();
    private URLClassLoader loader;

    /** A type, which is resolved at its first use. */
    static final class Type {
        final String descriptor;
        /** The binary name of a class; of other types, the descriptor with dots. */
        final String binaryName;
        private Class<?> resolved;

        Type(String descriptor) {
            this.descriptor = descriptor;
            String dotted = descriptor.replace('/', '.');
            this.binaryName = dotted.charAt(0) == 'L' ? dotted.substring(1, dotted.length() - 1) : dotted;
        }
    }

    /** A method or constructor. */
    static final class Callable {
        static final int STATIC = 0, VIRTUAL = 1, INTERFACE = 2, CONSTRUCTOR = 3;
        final Type owner;
        final String name;
        final String descriptor;
        final int kind;
        /** First character of the descriptor of the result; {@code L} for all references. */
        final char returned;
        private MethodHandle spread;
        private Class<?>[] parameters;

        /** Whether it constructs an object of an inner class (JLS §8.1.3). */
        boolean inner;

        Callable(Type owner, String name, String descriptor, int kind) {
            this.owner = owner;
            this.name = name;
            this.descriptor = descriptor;
            this.kind = kind;
            this.returned = kind == CONSTRUCTOR ? 'L' : shape(descriptor.charAt(descriptor.indexOf(')') + 1));
        }

        /**
         * Whether the first argument precedes a dot in source: a receiver, or the outer object of a
         * constructor.
         */
        boolean hasReceiver() {
            return kind == VIRTUAL || kind == INTERFACE || inner;
        }

        /** Parameter types, the receiver first. */
        Class<?>[] parameters() {
            return parameters;
        }

        Object call(Object[] arguments) throws Throwable {
            return (Object) spread.invokeExact(arguments);
        }
    }

    /** A field. */
    static final class Variable {
        final Type owner;
        final String name;
        final Type type;
        final boolean isStatic;
        final char shape;
        private MethodHandle getter;
        private MethodHandle setter;

        Variable(Type owner, String name, Type type, boolean isStatic) {
            this.owner = owner;
            this.name = name;
            this.type = type;
            this.isStatic = isStatic;
            this.shape = shape(type.descriptor.charAt(0));
        }

        Object get(Object receiver) throws Throwable {
            return isStatic ? (Object) getter.invokeExact() : (Object) getter.invokeExact(receiver);
        }

        void set(Object receiver, Object value) throws Throwable {
            if (isStatic) {
                setter.invokeExact(value);
            } else {
                setter.invokeExact(receiver, value);
            }
        }
    }

    Project(Config config) {
        this.config = config;
        for (String target : config.targets) {
            testPackages.add(packageOf(target));
        }
        renew();
    }

    /** Closes the files of the class loader. */
    void close() {
        close(loader);
    }

    /** Makes a fresh class loader; everything is resolved again. */
    void renew() {
        URLClassLoader old = loader;
        loader = new URLClassLoader(config.classpath, ClassLoader.getPlatformClassLoader());
        for (Type type : types) {
            type.resolved = null;
        }
        for (Callable callable : callables) {
            callable.spread = null;
            callable.parameters = null;
        }
        for (Variable variable : variables) {
            variable.getter = null;
            variable.setter = null;
        }
        if (old != null) {
            close(old);
        }
    }

    private static void close(URLClassLoader loader) {
        try {
            loader.close();
        } catch (IOException ignored) {
            // The files of the loader are closed when it is collected.
        }
    }

    ClassLoader loader() {
        return loader;
    }

    /** Adds definitions; ids count on. */
    void define(Wire.Reader in) throws EOFException {
        for (int n = in.int32(); n > 0; n--) {
            types.add(new Type(in.string()));
        }
        for (int n = in.int32(); n > 0; n--) {
            callables.add(new Callable(types.get(in.int32()), in.string(), in.string(), in.uint8()));
        }
        for (int n = in.int32(); n > 0; n--) {
            variables.add(new Variable(types.get(in.int32()), in.string(), types.get(in.int32()), in.uint8() != 0));
        }
    }

    Type type(int id) {
        return types.get(id);
    }

    Callable callable(int id) {
        return callables.get(id);
    }

    Variable variable(int id) {
        return variables.get(id);
    }

    Class<?> resolve(Type type) throws Illegal {
        if (type.resolved == null) {
            try {
                type.resolved = switch (type.descriptor.charAt(0)) {
                    case 'L', '[' -> Class.forName(type.binaryName, false, loader);
                    default -> MethodType.fromMethodDescriptorString("()" + type.descriptor, loader).returnType();
                };
            } catch (ClassNotFoundException | LinkageError | RuntimeException missing) {
                throw new Illegal("no class " + type.descriptor + ": " + missing);
            }
        }
        return type.resolved;
    }

    void resolve(Callable callable) throws Illegal {
        if (callable.spread != null) {
            return;
        }
        Class<?> owner = resolve(callable.owner);
        try {
            MethodType type = MethodType.fromMethodDescriptorString(callable.descriptor, loader);
            MethodHandles.Lookup lookup = lookup(owner);
            MethodHandle handle = switch (callable.kind) {
                case Callable.STATIC -> lookup.findStatic(owner, callable.name, type);
                case Callable.CONSTRUCTOR -> {
                    if (Modifier.isAbstract(owner.getModifiers())) {
                        throw new Illegal(owner.getName() + " is abstract");
                    }
                    callable.inner = type.parameterCount() > 0 && type.parameterType(0) == owner.getEnclosingClass()
                            && owner.isMemberClass() && !Modifier.isStatic(owner.getModifiers());
                    yield lookup.findConstructor(owner, type);
                }
                default -> lookup.findVirtual(owner, callable.name, type);
            };
            check(owner, lookup.revealDirect(handle).reflectAs(Member.class, lookup));
            if (owner == ObjectInputStream.class && callable.kind == Callable.CONSTRUCTOR) {
                handle = ProjectObjects.constructor(loader);
            }
            int count = handle.type().parameterCount();
            Class<?>[] parameters = handle.type().parameterArray();
            callable.spread = handle.asFixedArity()
                    .asType(MethodType.genericMethodType(count))
                    .asSpreader(Object[].class, count);
            callable.parameters = parameters;
        } catch (ReflectiveOperationException | LinkageError | RuntimeException wrong) {
            throw new Illegal("no " + callable.name + callable.descriptor + " in " + owner.getName() + ": " + wrong);
        }
    }

    void resolveGetter(Variable variable) throws Illegal {
        if (variable.getter == null) {
            variable.getter = field(variable, false);
        }
    }

    void resolveSetter(Variable variable) throws Illegal {
        if (variable.setter == null) {
            variable.setter = field(variable, true);
        }
    }

    /**
     * A getter or setter of the field. Access to instance fields of the project is not checked for
     * writes: a container injects them, too, and the engine writes no others.
     */
    private MethodHandle field(Variable variable, boolean set) throws Illegal {
        Class<?> owner = resolve(variable.owner);
        Class<?> type = resolve(variable.type);
        try {
            MethodHandles.Lookup lookup = lookup(owner);
            MethodHandle getter = variable.isStatic
                    ? lookup.findStaticGetter(owner, variable.name, type)
                    : lookup.findGetter(owner, variable.name, type);
            Member member = lookup.revealDirect(getter).reflectAs(Member.class, lookup);
            boolean injectable = set && !variable.isStatic && !owner.getModule().isNamed();
            if (!injectable) {
                check(owner, member);
            }
            if (!set) {
                return getter.asType(MethodType.genericMethodType(variable.isStatic ? 0 : 1));
            }
            if (Modifier.isFinal(member.getModifiers())) {
                // The agent may have removed {@code final}, but source code still must not assign
                // the field.
                throw new Illegal(variable.name + " of " + owner.getName() + " is final");
            }
            MethodHandle setter = variable.isStatic
                    ? lookup.findStaticSetter(owner, variable.name, type)
                    : lookup.findSetter(owner, variable.name, type);
            return setter.asType(MethodType.genericMethodType(variable.isStatic ? 1 : 2).changeReturnType(void.class));
        } catch (ReflectiveOperationException | LinkageError | RuntimeException wrong) {
            throw new Illegal("no field " + variable.name + " in " + owner.getName() + ": " + wrong);
        }
    }

    /**
     * Of the JDK, only exported members are accessible; classes of the project are open to the
     * runner.
     */
    private static MethodHandles.Lookup lookup(Class<?> owner) throws IllegalAccessException {
        return owner.getModule().isNamed() ? OWN : MethodHandles.privateLookupIn(owner, OWN);
    }

    /**
     * Checks what a test in a package of the targets may name: nothing private, and package-private
     * members in its own package only.
     */
    private void check(Class<?> owner, Member member) throws Illegal {
        int modifiers = member.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isPrivate(owner.getModifiers())) {
            throw new Illegal(member.getName() + " of " + owner.getName() + " is private");
        }
        if (!Modifier.isPublic(modifiers) && !inTestPackage(member.getDeclaringClass())) {
            throw new Illegal(member.getName() + " of " + owner.getName() + " is of another package");
        }
        for (Class<?> outer = owner; outer != null; outer = outer.getDeclaringClass()) {
            if (Modifier.isPrivate(outer.getModifiers()) || !Modifier.isPublic(outer.getModifiers()) && !inTestPackage(outer)) {
                throw new Illegal(outer.getName() + " is out of reach");
            }
        }
    }

    private boolean inTestPackage(Class<?> declaring) {
        if (declaring.getModule().isNamed()) {
            return false;
        }
        return testPackages.isEmpty() || testPackages.contains(declaring.getPackageName());
    }

    static String packageOf(String binaryName) {
        int dot = binaryName.lastIndexOf('.');
        return dot < 0 ? "" : binaryName.substring(0, dot);
    }

    static char shape(char descriptor) {
        return descriptor == '[' ? 'L' : descriptor;
    }
}
