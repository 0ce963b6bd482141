package dev.tracewright.runner;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * The loader of the classes of some entries of the class path, which it defines anew although the
 * JVM's class path has them too; all other classes are those of the JVM. So libraries are loaded
 * once for many test classes, while the static state of the user's own classes begins afresh.
 */
final class OwnClasses extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    OwnClasses(List<URL> entries) {
        super(entries.toArray(URL[]::new), ClassLoader.getSystemClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                try {
                    loaded = findClass(name);
                } catch (ClassNotFoundException another) {
                    return super.loadClass(name, resolve);
                }
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }
}
