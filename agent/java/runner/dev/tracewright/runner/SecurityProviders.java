package dev.tracewright.runner;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.security.Provider;
import java.security.Security;
import java.util.Arrays;

/**
 * The security providers of the JVM. Flows out: whether code under test changed their list, which is
 * put back then. Must not initialise the list before code under test does, since that takes long.
 */
final class SecurityProviders {
    /** Whether the JDK's list is still to be initialised. Null: this JDK does not tell. */
    private static final MethodHandle UNINITIALISED = uninitialised();

    /** The providers when they were seen first; null: not yet. */
    private Provider[] first;

    /** Returns whether the list had changed since it was seen first. */
    boolean restore() throws Throwable {
        if (UNINITIALISED == null || (boolean) UNINITIALISED.invokeExact()) {
            return false;
        }
        Provider[] now = Security.getProviders();
        if (first == null) {
            first = configured(now);
        }
        if (Arrays.equals(now, first)) {
            return false;
        }
        for (Provider provider : now) {
            Security.removeProvider(provider.getName());
        }
        for (Provider provider : first) {
            Security.addProvider(provider);
        }
        return true;
    }

    /** Those of the JDK: a provider that is there at the first look may be one of the code under test. */
    private static Provider[] configured(Provider[] providers) {
        return Arrays.stream(providers)
                .filter(provider -> provider.getClass().getClassLoader() == null
                        || provider.getClass().getClassLoader() == ClassLoader.getPlatformClassLoader())
                .toArray(Provider[]::new);
    }

    private static MethodHandle uninitialised() {
        try {
            Class<?> providers = Class.forName("sun.security.jca.Providers", false, null);
            MethodHandle should = JdkUnsafe.method("shouldBeInitialized", boolean.class, Class.class);
            return MethodHandles.insertArguments(should, 0, providers);
        } catch (ReflectiveOperationException | RuntimeException otherJdk) {
            return null;
        }
    }
}
