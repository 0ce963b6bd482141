package dev.tracewright.runner;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

/**
 * The behaviour of an emitted lambda or anonymous class: answers, own code of default methods,
 * nothing of {@code Object} overridden. Also that of a Mockito mock of an interface, whose default
 * methods do not run.
 */
final class Stub implements InvocationHandler {
    private static final Object[] NO_ARGUMENTS = {};

    private final Class<?> declared;
    private final Answers answers;
    private final boolean mocked;

    private Stub(Class<?> declared, Answers answers, boolean mocked) {
        this.declared = declared;
        this.answers = answers;
        this.mocked = mocked;
    }

    /** A lambda or an object of an anonymous class. */
    static Object make(Class<?> declared, ClassLoader loader, Answers answers) throws Throwable {
        if (Modifier.isAbstract(declared.getModifiers()) && !declared.isInterface()) {
            return StubClass.make(declared, answers);
        }
        return implemented(declared, loader, new Stub(declared, answers, false));
    }

    /** A mock. */
    static Object mock(Class<?> declared, ClassLoader loader, Answers answers) throws Throwable {
        if (!declared.isInterface()) {
            return StubClass.mock(declared, answers);
        }
        return implemented(declared, loader, new Stub(declared, answers, true));
    }

    private static Object implemented(Class<?> declared, ClassLoader loader, Stub stub) throws Illegal {
        if (!declared.isInterface() || declared.isSealed() || Modifier.isPrivate(declared.getModifiers())) {
            throw new Illegal(declared.getName() + " cannot be implemented");
        }
        try {
            return Proxy.newProxyInstance(loader, new Class<?>[] {declared}, stub);
        } catch (IllegalArgumentException | LinkageError wrong) {
            throw new Illegal(declared.getName() + " cannot be implemented: " + wrong);
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] given) throws Throwable {
        Object[] arguments = given == null ? NO_ARGUMENTS : given;
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                default -> mocked
                        ? answers.give(method, arguments, () -> StubClass.mockText(declared, proxy))
                        : declared.getName() + "Stub@" + Integer.toHexString(System.identityHashCode(proxy));
            };
        }
        if (mocked) {
            Method called = StubClass.bridged(method);
            return answers.give(called, arguments, () -> StubClass.mockDefault(called, proxy, arguments));
        }
        Object none = new Object();
        Object answer = answers.give(method, arguments, () -> none);
        if (answer != none) {
            return answer;
        }
        if (method.isDefault()) {
            Class<?> owner = method.getDeclaringClass();
            if (declared.getModule().isNamed() || owner.getModule().isNamed()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
                    .unreflectSpecial(method, owner)
                    .bindTo(proxy)
                    .invokeWithArguments(arguments);
        }
        return Values.initial(method.getReturnType());
    }
}
