package dev.tracewright.runner;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Period;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Classes that stand for emitted anonymous subclasses and for Mockito mocks. Flows in: a superclass
 * and answers; flows out: an instance. Each superclass has one hidden class beside it.
 *
 * <p>An emitted anonymous subclass asks a function for the result of each abstract method. The functions
 * are there before the constructor of the superclass runs, as captured variables are. Only {@code equals} of
 * mocks has a branch, so no other code needs stack map frames (JVMS §4.10.1).
 *
 * <p>For a mock no constructor runs. Each method that can be overridden gives its answer, else that
 * of {@code RETURNS_DEFAULTS}. The object equals only itself.
 */
final class StubClass {
    private static final MethodHandles.Lookup OWN = MethodHandles.lookup();

    private static final ClassValue<Object> MADE = made(false);
    private static final ClassValue<Object> MOCKED = made(true);

    /**
     * What a mock returns where it has no answer, by exact return type; else null, or a box with 0.
     */
    private static final Map<Class<?>, Supplier<Object>> EMPTY = new HashMap<>();

    static {
        EMPTY.put(Iterable.class, () -> new ArrayList<>(0));
        EMPTY.put(Collection.class, LinkedList::new);
        EMPTY.put(Set.class, HashSet::new);
        EMPTY.put(HashSet.class, HashSet::new);
        EMPTY.put(SortedSet.class, TreeSet::new);
        EMPTY.put(TreeSet.class, TreeSet::new);
        EMPTY.put(LinkedHashSet.class, LinkedHashSet::new);
        EMPTY.put(List.class, LinkedList::new);
        EMPTY.put(LinkedList.class, LinkedList::new);
        EMPTY.put(ArrayList.class, ArrayList::new);
        EMPTY.put(Map.class, HashMap::new);
        EMPTY.put(HashMap.class, HashMap::new);
        EMPTY.put(SortedMap.class, TreeMap::new);
        EMPTY.put(TreeMap.class, TreeMap::new);
        EMPTY.put(LinkedHashMap.class, LinkedHashMap::new);
        EMPTY.put(Optional.class, Optional::empty);
        EMPTY.put(OptionalDouble.class, OptionalDouble::empty);
        EMPTY.put(OptionalInt.class, OptionalInt::empty);
        EMPTY.put(OptionalLong.class, OptionalLong::empty);
        EMPTY.put(Stream.class, Stream::empty);
        EMPTY.put(DoubleStream.class, DoubleStream::empty);
        EMPTY.put(IntStream.class, IntStream::empty);
        EMPTY.put(LongStream.class, LongStream::empty);
        EMPTY.put(Duration.class, () -> Duration.ZERO);
        EMPTY.put(Period.class, () -> Period.ZERO);
        // Since Java 21.
        sequenced("Collection", ArrayList::new);
        sequenced("Set", LinkedHashSet::new);
        sequenced("Map", LinkedHashMap::new);
    }

    private static void sequenced(String kind, Supplier<Object> empty) {
        try {
            EMPTY.put(Class.forName("java.util.Sequenced" + kind), empty);
        } catch (ClassNotFoundException older) {
            // No method of this JDK returns it.
        }
    }

    private static ClassValue<Object> made(boolean mocked) {
        return new ClassValue<>() {
            @Override
            protected Object computeValue(Class<?> superclass) {
                try {
                    return new StubClass(superclass, mocked);
                } catch (Illegal | ReflectiveOperationException | IOException | LinkageError | RuntimeException wrong) {
                    return superclass.getName() + " cannot be extended: " + wrong.getMessage();
                }
            }
        };
    }

    /** In the order of the array. */
    private final List<Method> methods = new ArrayList<>();
    /** Takes the array of answers; for a mock it sets the field. */
    private final MethodHandle constructor;
    private final Class<?> stub;

    /** An instance with these answers. */
    static Object make(Class<?> superclass, Answers answers) throws Throwable {
        StubClass stub = of(MADE, superclass);
        Object[] values = new Object[stub.methods.size()];
        for (int i = 0; i < values.length; i++) {
            Method method = stub.methods.get(i);
            values[i] = function(method, answers, arguments -> Values.initial(method.getReturnType()));
        }
        return stub.constructor.invoke(values);
    }

    /** A mock with these answers. */
    static Object mock(Class<?> superclass, Answers answers) throws Throwable {
        StubClass stub = of(MOCKED, superclass);
        Object[] values = new Object[stub.methods.size()];
        Object unsafe = unsafe();
        Object mock = unsafe.getClass().getMethod("allocateInstance", Class.class).invoke(unsafe, stub.stub);
        for (int i = 0; i < values.length; i++) {
            Method method = stub.methods.get(i);
            boolean text = method.getName().equals("toString") && method.getParameterCount() == 0;
            values[i] = function(method, answers, arguments -> text ? mockText(superclass, mock) : mockDefault(method, mock, arguments));
        }
        stub.constructor.invoke(mock, values);
        return mock;
    }

    private static StubClass of(ClassValue<Object> kind, Class<?> superclass) throws Illegal {
        Object made = kind.get(superclass);
        if (!(made instanceof StubClass stub)) {
            throw new Illegal((String) made);
        }
        return stub;
    }

    /** What generated code calls: it gets the arguments of the method and gives its result. */
    private static Function<Object[], Object> function(Method method, Answers answers, Function<Object[], Object> otherwise) {
        return arguments -> {
            try {
                return answers.give(method, arguments, () -> otherwise.apply(arguments));
            } catch (Throwable thrown) {
                throw StubClass.<RuntimeException>unchecked(thrown);
            }
        };
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** What {@code toString} of a mock returns. */
    static String mockText(Class<?> mocked, Object mock) {
        return "Mock for " + mocked.getSimpleName() + ", hashCode: " + System.identityHashCode(mock);
    }

    /** What a method of a mock without an answer returns. */
    static Object mockDefault(Method method, Object mock, Object[] arguments) {
        if (compares(method)) {
            return arguments[0] == mock ? 0 : 1;
        }
        Class<?> returned = method.getReturnType();
        Supplier<Object> empty = EMPTY.get(returned);
        return empty != null ? empty.get() : Values.initial(MethodType.methodType(returned).unwrap().returnType());
    }

    /** A mock is greater than any other one, and equal to itself. */
    private static boolean compares(Method method) {
        Class<?> declaring = method.getDeclaringClass();
        return method.getName().equals("compareTo") && Comparable.class.isAssignableFrom(declaring) && method.getReturnType() == int.class
                && method.getParameterCount() == 1 && method.getParameterTypes()[0] == declaring;
    }

    private StubClass(Class<?> superclass, boolean mocked) throws Illegal, ReflectiveOperationException, IOException {
        int modifiers = superclass.getModifiers();
        if (Modifier.isPrivate(modifiers) || superclass.isSealed() || Modifier.isFinal(modifiers) || superclass.isInterface()) {
            throw new Illegal("it is private, sealed, final or an interface");
        }
        if (!mocked) {
            Constructor<?> parent = superclass.getDeclaredConstructor();
            if (!Modifier.isAbstract(modifiers) || Modifier.isPrivate(parent.getModifiers())) {
                throw new Illegal("it is not abstract or has no constructor for subclasses");
            }
        }
        // A class of the JDK is extended from a package of the runner, a class of the project from
        // its own package.
        boolean jdk = superclass.getModule().isNamed();
        MethodHandles.Lookup lookup = jdk ? OWN : within(superclass);
        String folder = (jdk ? StubClass.class : superclass).getPackageName().replace('.', '/');
        String name = (folder.isEmpty() ? "" : folder + "/") + superclass.getSimpleName() + "$Stub";
        methods.addAll(mocked ? overridable(superclass, jdk) : open(superclass));
        byte[] bytes = new Writer(name, superclass.getName().replace('.', '/'), mocked).write(methods);
        stub = lookup.defineHiddenClass(bytes, false).lookupClass();
        if (mocked) {
            constructor = MethodHandles.privateLookupIn(stub, OWN)
                    .findSetter(stub, "answers", Object[].class)
                    .asType(MethodType.methodType(void.class, Object.class, Object[].class));
            return;
        }
        constructor = MethodHandles.privateLookupIn(stub, OWN)
                .findConstructor(stub, MethodType.methodType(void.class, Object[].class))
                .asType(MethodType.methodType(Object.class, Object[].class))
                .asFixedArity();
    }

    /**
     * A lookup that may define hidden classes. A lookup made outside of the class's module may not,
     * and the class loaders of code under test have modules of their own.
     */
    private static MethodHandles.Lookup within(Class<?> type) throws ReflectiveOperationException {
        Object unsafe = unsafe();
        Class<?> unsafeClass = unsafe.getClass();
        Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
        Object base = unsafeClass.getMethod("staticFieldBase", Field.class).invoke(unsafe, field);
        long offset = (long) unsafeClass.getMethod("staticFieldOffset", Field.class).invoke(unsafe, field);
        Object whole = unsafeClass.getMethod("getReference", Object.class, long.class).invoke(unsafe, base, offset);
        return ((MethodHandles.Lookup) whole).in(type);
    }

    private static Object unsafe() throws ReflectiveOperationException {
        return Class.forName("jdk.internal.misc.Unsafe").getMethod("getUnsafe").invoke(null);
    }

    /**
     * The methods that a mock overrides: all but bridges, which call others, and some of {@code
     * Object}.
     */
    private static List<Method> overridable(Class<?> superclass, boolean jdk) {
        Map<String, Method> found = new LinkedHashMap<>();
        Deque<Class<?>> interfaces = new ArrayDeque<>();
        for (Class<?> type = superclass; type != null; type = type.getSuperclass()) {
            declared(type, found);
            interfaces.addAll(List.of(type.getInterfaces()));
        }
        Set<Class<?>> seen = new HashSet<>();
        while (!interfaces.isEmpty()) {
            Class<?> type = interfaces.remove();
            if (seen.add(type)) {
                declared(type, found);
                interfaces.addAll(List.of(type.getInterfaces()));
            }
        }
        List<Method> overridden = new ArrayList<>();
        for (Method method : found.values()) {
            int modifiers = method.getModifiers();
            Class<?> type = method.getDeclaringClass();
            boolean shared = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)
                    || !jdk && type.getPackageName().equals(superclass.getPackageName());
            boolean identity = type == Object.class && (method.getName().equals("clone") || method.getName().equals("finalize"));
            if (shared && !identity && !Modifier.isFinal(modifiers) && bridged(method) == method) {
                overridden.add(method);
            }
        }
        return overridden;
    }

    /**
     * The method of the same class that the bridge leads to, else the method itself. Bridges that
     * only make a method visible count as methods.
     */
    static Method bridged(Method bridge) {
        if (!bridge.isBridge()) {
            return bridge;
        }
        for (Method other : bridge.getDeclaringClass().getDeclaredMethods()) {
            if (!other.isBridge() && other.getName().equals(bridge.getName())
                    && other.getParameterCount() == bridge.getParameterCount()) {
                return other;
            }
        }
        return bridge;
    }

    /** Abstract methods without an implementation. */
    private static List<Method> open(Class<?> superclass) {
        Map<String, Method> found = new LinkedHashMap<>();
        Deque<Class<?>> interfaces = new ArrayDeque<>();
        for (Class<?> type = superclass; type != null; type = type.getSuperclass()) {
            declared(type, found);
            interfaces.addAll(List.of(type.getInterfaces()));
        }
        Set<String> provided = new HashSet<>();
        found.forEach((key, method) -> {
            if (!Modifier.isAbstract(method.getModifiers())) {
                provided.add(key);
            }
        });
        Set<Class<?>> seen = new HashSet<>();
        while (!interfaces.isEmpty()) {
            Class<?> type = interfaces.remove();
            if (seen.add(type)) {
                Map<String, Method> own = new LinkedHashMap<>();
                declared(type, own);
                own.forEach((key, method) -> {
                    if (method.isDefault()) {
                        provided.add(key);
                    } else {
                        found.putIfAbsent(key, method);
                    }
                });
                interfaces.addAll(List.of(type.getInterfaces()));
            }
        }
        found.keySet().removeAll(provided);
        return new ArrayList<>(found.values());
    }

    private static void declared(Class<?> type, Map<String, Method> found) {
        Map<String, Method> sorted = new java.util.TreeMap<>();
        for (Method method : type.getDeclaredMethods()) {
            if (!Modifier.isStatic(method.getModifiers()) && !Modifier.isPrivate(method.getModifiers())) {
                sorted.put(method.getName() + Answers.descriptor(method), method);
            }
        }
        sorted.forEach(found::putIfAbsent);
    }

    /** Writes the class file (JVMS §4). */
    private static final class Writer {
        private static final int ALOAD_0 = 42, ALOAD_1 = 43, AALOAD = 50, IRETURN = 172, RETURN = 177, GETFIELD = 180, PUTFIELD = 181,
                INVOKEVIRTUAL = 182, INVOKESPECIAL = 183, INVOKESTATIC = 184, INVOKEINTERFACE = 185, CHECKCAST = 192, SIPUSH = 17,
                ICONST_0 = 3, IF_ACMPNE = 166, ILOAD = 21, DUP = 89, AASTORE = 83, POP = 87, ANEWARRAY = 189;
        /** The function, the array twice, an index, and an argument of two words. */
        private static final int MAX_STACK = 6;

        private final Map<String, Integer> indices = new HashMap<>();
        private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
        private final DataOutputStream constants = new DataOutputStream(pool);
        private int next = 1;
        private final String name;
        private final String parent;
        private final boolean mocked;

        Writer(String name, String parent, boolean mocked) {
            this.name = name;
            this.parent = parent;
            this.mocked = mocked;
        }

        byte[] write(List<Method> methods) throws IOException {
            ByteArrayOutputStream rest = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(rest);
            out.writeShort(Modifier.FINAL | 0x0020);
            out.writeShort(type(name));
            out.writeShort(type(parent));
            out.writeShort(0);
            out.writeShort(1);
            out.writeShort(Modifier.PRIVATE);
            out.writeShort(utf8("answers"));
            out.writeShort(utf8("[Ljava/lang/Object;"));
            out.writeShort(0);
            out.writeShort(methods.size() + (mocked ? 0 : 1));
            if (!mocked) {
                Code begin = new Code();
                begin.op(ALOAD_0).op(ALOAD_1).op(PUTFIELD, field()).op(ALOAD_0).op(INVOKESPECIAL, method(parent, "<init>", "()V"));
                begin.op(RETURN).write(out, 0, "<init>", "([Ljava/lang/Object;)V", 2);
            }
            for (int i = 0; i < methods.size(); i++) {
                Method method = methods.get(i);
                Code code = new Code();
                Class<?> returned = method.getReturnType();
                String whole = method.getName() + Answers.descriptor(method);
                if (mocked && whole.equals("hashCode()I")) {
                    code.op(ALOAD_0).op(INVOKESTATIC, method("java/lang/System", "identityHashCode", "(Ljava/lang/Object;)I"));
                    code.op(IRETURN);
                } else if (mocked && whole.equals("equals(Ljava/lang/Object;)Z")) {
                    code.op(ALOAD_0).op(ALOAD_1).op(IF_ACMPNE, 5).op(ICONST_0 + 1).op(IRETURN).target().op(ICONST_0).op(IRETURN);
                } else {
                    String function = "java/util/function/Function";
                    code.op(ALOAD_0).op(GETFIELD, field()).op(SIPUSH, i).op(AALOAD).op(CHECKCAST, type(function));
                    arguments(code, method.getParameterTypes());
                    code.op(INVOKEINTERFACE, member(11, function, "apply", "(Ljava/lang/Object;)Ljava/lang/Object;")).op(2).op(0);
                    if (returned == void.class) {
                        code.op(POP).op(RETURN);
                    } else if (returned.isPrimitive()) {
                        String boxed = boxed(returned);
                        String unboxed = returned.descriptorString();
                        code.op(CHECKCAST, type(boxed)).op(INVOKEVIRTUAL, method(boxed, returned.getName() + "Value", "()" + unboxed));
                        code.op(IRETURN + kind(returned));
                    } else {
                        String descriptor = returned.descriptorString();
                        String cast = returned.isArray() ? descriptor : descriptor.substring(1, descriptor.length() - 1);
                        code.op(CHECKCAST, type(cast)).op(IRETURN + 4);
                    }
                }
                int locals = 1;
                for (Class<?> parameter : method.getParameterTypes()) {
                    locals += parameter == long.class || parameter == double.class ? 2 : 1;
                }
                int visibility = method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED);
                code.write(out, visibility, method.getName(), Answers.descriptor(method), locals);
            }
            out.writeShort(0);
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            DataOutputStream head = new DataOutputStream(whole);
            head.writeInt(0xcafebabe);
            head.writeInt(52);
            head.writeShort(next);
            pool.writeTo(head);
            rest.writeTo(head);
            return whole.toByteArray();
        }

        /** Pushes an array of the arguments. */
        private void arguments(Code code, Class<?>[] parameters) throws IOException {
            code.op(SIPUSH, parameters.length).op(ANEWARRAY, type("java/lang/Object"));
            int local = 1;
            for (int i = 0; i < parameters.length; i++) {
                Class<?> parameter = parameters[i];
                code.op(DUP).op(SIPUSH, i).op(ILOAD + kind(parameter)).op(local);
                if (parameter.isPrimitive()) {
                    String boxed = boxed(parameter);
                    String descriptor = "(" + parameter.descriptorString() + ")L" + boxed + ";";
                    code.op(INVOKESTATIC, method(boxed, "valueOf", descriptor));
                }
                code.op(AASTORE);
                local += parameter == long.class || parameter == double.class ? 2 : 1;
            }
        }

        /** The offset of instructions for values of the type: int, long, float, double, object. */
        private static int kind(Class<?> type) {
            if (!type.isPrimitive()) {
                return 4;
            }
            String descriptor = type.descriptorString();
            return "IJFD".indexOf("ZBSC".contains(descriptor) ? "I" : descriptor);
        }

        private static String boxed(Class<?> primitive) {
            return MethodType.methodType(primitive).wrap().returnType().getName().replace('.', '/');
        }

        private int field() throws IOException {
            return member(9, name, "answers", "[Ljava/lang/Object;");
        }

        private int method(String owner, String of, String descriptor) throws IOException {
            return member(10, owner, of, descriptor);
        }

        private int member(int tag, String owner, String of, String descriptor) throws IOException {
            String key = tag + owner + "." + of + descriptor;
            if (!indices.containsKey(key)) {
                int type = type(owner);
                int memberName = utf8(of);
                int memberType = utf8(descriptor);
                constants.writeByte(12);
                constants.writeShort(memberName);
                constants.writeShort(memberType);
                int nameAndType = next++;
                constants.writeByte(tag);
                constants.writeShort(type);
                constants.writeShort(nameAndType);
                indices.put(key, next++);
            }
            return indices.get(key);
        }

        private int type(String internal) throws IOException {
            String key = "class " + internal;
            if (!indices.containsKey(key)) {
                int text = utf8(internal);
                constants.writeByte(7);
                constants.writeShort(text);
                indices.put(key, next++);
            }
            return indices.get(key);
        }

        private int utf8(String text) throws IOException {
            String key = "text " + text;
            if (!indices.containsKey(key)) {
                constants.writeByte(1);
                constants.writeUTF(text);
                indices.put(key, next++);
            }
            return indices.get(key);
        }

        private final class Code {
            private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            private int target = -1;

            /** Marks the only instruction that is a jump target; the stack is empty there. */
            Code target() {
                target = bytes.size();
                return this;
            }

            Code op(int op) {
                bytes.write(op);
                return this;
            }

            Code op(int op, int operand) {
                bytes.write(op);
                bytes.write(operand >> 8);
                bytes.write(operand);
                return this;
            }

            void write(DataOutputStream out, int access, String method, String descriptor, int locals) throws IOException {
                out.writeShort(access);
                out.writeShort(utf8(method));
                out.writeShort(utf8(descriptor));
                out.writeShort(1);
                out.writeShort(utf8("Code"));
                out.writeInt(12 + bytes.size() + (target < 0 ? 0 : 9));
                out.writeShort(MAX_STACK);
                out.writeShort(locals);
                out.writeInt(bytes.size());
                bytes.writeTo(out);
                out.writeShort(0);
                out.writeShort(target < 0 ? 0 : 1);
                if (target >= 0) {
                    // One frame like the one at the entry (JVMS §4.7.4).
                    out.writeShort(utf8("StackMapTable"));
                    out.writeInt(3);
                    out.writeShort(1);
                    out.writeByte(target);
                }
            }
        }
    }
}
