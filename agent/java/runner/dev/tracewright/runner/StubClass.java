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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an emitted anonymous subclass of an abstract class does: every abstract method gives what an array holds for it, which is there before
 * the constructor of the superclass runs, as captured variables are. A hidden class beside the superclass, one a superclass; no code in it
 * branches, so it needs no frames (JVMS §4.10.1).
 */
final class StubClass {
    private static final MethodHandles.Lookup OWN = MethodHandles.lookup();

    private static final ClassValue<Object> MADE = new ClassValue<>() {
        @Override
        protected Object computeValue(Class<?> superclass) {
            try {
                return new StubClass(superclass);
            } catch (Illegal | ReflectiveOperationException | IOException | LinkageError | RuntimeException wrong) {
                return superclass.getName() + " cannot be extended: " + wrong.getMessage();
            }
        }
    };

    /** In the order of the array. */
    private final List<Method> methods = new ArrayList<>();
    private final MethodHandle constructor;

    /** An instance that answers so; answers by {@link Stub#key}. */
    static Object make(Class<?> superclass, Map<String, Object> answers) throws Throwable {
        Object made = MADE.get(superclass);
        if (!(made instanceof StubClass stub)) {
            throw new Illegal((String) made);
        }
        Object[] values = new Object[stub.methods.size()];
        for (int i = 0; i < values.length; i++) {
            Method method = stub.methods.get(i);
            Class<?> returned = method.getReturnType();
            String key = Stub.key(method.getName(), descriptor(method));
            Object answer = answers.get(key);
            if (returned.isPrimitive()) {
                values[i] = Values.fits(returned, answer) ? Values.widen(returned, answer) : Values.initial(returned);
            } else {
                // An answer of the wrong type is a fault of the test case; the cast in the method reports it.
                values[i] = answer;
            }
        }
        return stub.constructor.invoke(values);
    }

    private StubClass(Class<?> superclass) throws Illegal, ReflectiveOperationException, IOException {
        int modifiers = superclass.getModifiers();
        Constructor<?> parent = superclass.getDeclaredConstructor();
        if (!Modifier.isAbstract(modifiers) || Modifier.isPrivate(modifiers) || superclass.isSealed()
                || Modifier.isPrivate(parent.getModifiers())) {
            throw new Illegal("it is private, sealed or has no constructor for subclasses");
        }
        // The JDK is extended from a package of ours, the project from within.
        boolean jdk = superclass.getModule().isNamed();
        MethodHandles.Lookup lookup = jdk ? OWN : within(superclass);
        String folder = (jdk ? StubClass.class : superclass).getPackageName().replace('.', '/');
        String name = (folder.isEmpty() ? "" : folder + "/") + superclass.getSimpleName() + "$Stub";
        methods.addAll(open(superclass));
        byte[] bytes = new Writer(name, superclass.getName().replace('.', '/')).write(methods);
        Class<?> stub = lookup.defineHiddenClass(bytes, false).lookupClass();
        constructor = MethodHandles.privateLookupIn(stub, OWN)
                .findConstructor(stub, MethodType.methodType(void.class, Object[].class))
                .asType(MethodType.methodType(Object.class, Object[].class))
                .asFixedArity();
    }

    /**
     * A lookup that may define hidden classes: one that is made from outside the class's module may not, and the class loaders of code under
     * test have modules of their own.
     */
    private static MethodHandles.Lookup within(Class<?> type) throws ReflectiveOperationException {
        Class<?> unsafeClass = Class.forName("jdk.internal.misc.Unsafe");
        Object unsafe = unsafeClass.getMethod("getUnsafe").invoke(null);
        Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
        Object base = unsafeClass.getMethod("staticFieldBase", Field.class).invoke(unsafe, field);
        long offset = (long) unsafeClass.getMethod("staticFieldOffset", Field.class).invoke(unsafe, field);
        Object whole = unsafeClass.getMethod("getReference", Object.class, long.class).invoke(unsafe, base, offset);
        return ((MethodHandles.Lookup) whole).in(type);
    }

    /** Abstract methods that nothing provides. */
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
                sorted.put(method.getName() + descriptor(method), method);
            }
        }
        sorted.forEach(found::putIfAbsent);
    }

    private static String descriptor(Method method) {
        return MethodType.methodType(method.getReturnType(), method.getParameterTypes()).toMethodDescriptorString();
    }

    /** Writes the class file (JVMS §4). */
    private static final class Writer {
        private static final int ALOAD_0 = 42, ALOAD_1 = 43, AALOAD = 50, IRETURN = 172, RETURN = 177, GETFIELD = 180, PUTFIELD = 181,
                INVOKEVIRTUAL = 182, INVOKESPECIAL = 183, CHECKCAST = 192, SIPUSH = 17;

        private final Map<String, Integer> indices = new HashMap<>();
        private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
        private final DataOutputStream constants = new DataOutputStream(pool);
        private int next = 1;
        private final String name;
        private final String parent;

        Writer(String name, String parent) {
            this.name = name;
            this.parent = parent;
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
            out.writeShort(methods.size() + 1);
            Code begin = new Code();
            begin.op(ALOAD_0).op(ALOAD_1).op(PUTFIELD, field()).op(ALOAD_0).op(INVOKESPECIAL, method(parent, "<init>", "()V"));
            begin.op(RETURN).write(out, 0, "<init>", "([Ljava/lang/Object;)V", 2);
            for (int i = 0; i < methods.size(); i++) {
                Method method = methods.get(i);
                Code code = new Code();
                Class<?> returned = method.getReturnType();
                if (returned == void.class) {
                    code.op(RETURN);
                } else {
                    code.op(ALOAD_0).op(GETFIELD, field()).op(SIPUSH, i).op(AALOAD);
                    if (returned.isPrimitive()) {
                        Class<?> box = MethodType.methodType(returned).wrap().returnType();
                        String boxed = box.getName().replace('.', '/');
                        String unboxed = returned.descriptorString();
                        code.op(CHECKCAST, type(boxed)).op(INVOKEVIRTUAL, method(boxed, returned.getName() + "Value", "()" + unboxed));
                        code.op(IRETURN + "IJFD".indexOf("ZBSC".contains(unboxed) ? "I" : unboxed));
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
                code.write(out, visibility, method.getName(), descriptor(method), locals);
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
                out.writeInt(12 + bytes.size());
                out.writeShort(2);
                out.writeShort(locals);
                out.writeInt(bytes.size());
                bytes.writeTo(out);
                out.writeShort(0);
                out.writeShort(0);
            }
        }
    }
}
