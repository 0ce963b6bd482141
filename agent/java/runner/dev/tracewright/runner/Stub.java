package dev.tracewright.runner;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Map;

/**
 * The behaviour of an emitted lambda or anonymous class: fixed answers, own code of default
 * methods, nothing of {@code Object} overridden.
 */
final class Stub implements InvocationHandler {
    private final Class<?> declared;
    /**
     * Keyed by name and parameters, so that bridges with other result types give the same answers.
     */
    private final Map<String, Object> answers;

    private Stub(Class<?> declared, Map<String, Object> answers) {
        this.declared = declared;
        this.answers = answers;
    }

    static Object make(Class<?> declared, ClassLoader loader, Map<String, Object> answers) throws Throwable {
        if (Modifier.isAbstract(declared.getModifiers()) && !declared.isInterface()) {
            return StubClass.make(declared, answers);
        }
        if (!declared.isInterface() || declared.isSealed() || Modifier.isPrivate(declared.getModifiers())) {
            throw new Illegal(declared.getName() + " cannot be implemented");
        }
        try {
            return Proxy.newProxyInstance(loader, new Class<?>[] {declared}, new Stub(declared, answers));
        } catch (IllegalArgumentException | LinkageError wrong) {
            throw new Illegal(declared.getName() + " cannot be implemented: " + wrong);
        }
    }

    static String key(String name, String descriptor) {
        return name + descriptor.substring(0, descriptor.indexOf(')') + 1);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        Class<?> returned = method.getReturnType();
        String key = key(method.getName(), MethodType.methodType(returned, method.getParameterTypes()).toMethodDescriptorString());
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                default -> declared.getName() + "Stub@" + Integer.toHexString(System.identityHashCode(proxy));
            };
        }
        if (answers.containsKey(key)) {
            Object answer = answers.get(key);
            // An answer of the wrong type is a fault of the test case, but the JDK reports it as
            // ClassCastException.
            return returned.isPrimitive() && Values.fits(returned, answer) ? Values.widen(returned, answer) : answer;
        }
        if (method.isDefault()) {
            if (declared.getModule().isNamed()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            Class<?> owner = method.getDeclaringClass();
            if (owner.getModule().isNamed()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
                    .unreflectSpecial(method, owner)
                    .bindTo(proxy)
                    .invokeWithArguments(arguments == null ? new Object[0] : arguments);
        }
        return Values.initial(returned);
    }
}
