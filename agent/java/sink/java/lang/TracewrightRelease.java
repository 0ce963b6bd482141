package java.lang;

import java.lang.reflect.Field;
import java.util.Map;
import jdk.internal.misc.Unsafe;

/**
 * Makes the JVM tell code that it is of another release, so that no test depends on the release.
 * Flows in: the release. Must not know which code asks for it.
 */
public final class TracewrightRelease {
    private TracewrightRelease() {}

    /** Class files of feature release 0 would have this version. */
    private static final int CLASS_FILES_OF_FIRST = 44;

    /** Replaces what {@code Runtime.version()} and the system properties of the JVM say. */
    public static void pretend(String release) {
        Runtime.Version version = Runtime.Version.parse(release);
        String feature = Integer.toString(version.feature());
        Map.of(
                "java.version", release,
                "java.runtime.version", release,
                "java.vm.version", release,
                "java.specification.version", feature,
                "java.vm.specification.version", feature,
                "java.class.version", Integer.toString(CLASS_FILES_OF_FIRST + version.feature()) + ".0",
                "java.vendor", "Another Vendor",
                "java.vm.vendor", "Another Vendor",
                "java.vm.name", "Another VM")
                .forEach(System::setProperty);
        try {
            Field field = Runtime.class.getDeclaredField("version");
            Unsafe unsafe = Unsafe.getUnsafe();
            unsafe.putReferenceVolatile(unsafe.staticFieldBase(field), unsafe.staticFieldOffset(field), version);
        } catch (NoSuchFieldException otherJdk) {
            // This JDK keeps its version elsewhere: the properties differ, the version does not.
        }
    }
}
