package dev.tracewright.runner;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Ids of the classes that results name. Flows in: classes; flows out: ids, and frames that announce
 * them. A descriptor crosses the pipe once, in a frame of its own before the result that needs it.
 */
final class ClassTable {
    private final Map<Class<?>, Integer> ids = new HashMap<>();
    private final List<String> announced = new ArrayList<>();
    private int next;

    /** Drops the classes, which keep their class loader alive; new ids continue after the last one. */
    void forget() {
        ids.clear();
    }

    /** Forgets everything: another engine begins with no ids. */
    void restart() {
        ids.clear();
        announced.clear();
        next = 0;
    }

    void write(Wire.Writer out, Class<?> of) {
        Class<?> named = nameable(of);
        Integer id = ids.get(named);
        if (id == null) {
            id = next++;
            ids.put(named, id);
            announced.add(named.descriptorString());
        }
        out.int32(id);
    }

    /** The frame that announces the ids given since the last call; null: there are none. */
    Wire.Writer announcement() {
        if (announced.isEmpty()) {
            return null;
        }
        Wire.Writer frame = new Wire.Writer(Wire.CLASSES).int32(announced.size());
        announced.forEach(frame::string);
        announced.clear();
        return frame;
    }

    /**
     * Proxies and hidden classes (lambdas) have names that mean nothing to the engine: an interface
     * or superclass stands for them.
     */
    private static Class<?> nameable(Class<?> of) {
        Class<?> named = of;
        while (named.isHidden() || Proxy.isProxyClass(named)) {
            Class<?>[] interfaces = named.getInterfaces();
            named = interfaces.length > 0 ? interfaces[0] : named.getSuperclass();
        }
        return named;
    }
}
