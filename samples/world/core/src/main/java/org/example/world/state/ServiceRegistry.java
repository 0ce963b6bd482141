package org.example.world.state;

import java.util.Map;
import java.util.TreeMap;

/** A singleton that keeps what is registered. */
public final class ServiceRegistry {

    private static final ServiceRegistry INSTANCE = new ServiceRegistry();

    private final Map<String, Object> services = new TreeMap<>();

    private ServiceRegistry() {
    }

    public static ServiceRegistry getInstance() {
        return INSTANCE;
    }

    public void register(String name, Object service) {
        if (name.isBlank()) { // feasible: 2 of 2
            throw new IllegalArgumentException("no name");
        }
        if (services.putIfAbsent(name, service) != null) { // feasible: 2 of 2
            throw new IllegalStateException("registered already: " + name);
        }
    }

    public Object find(String name) {
        Object service = services.get(name);
        if (service == null) { // feasible: 2 of 2
            throw new IllegalStateException("not registered: " + name);
        }
        return service;
    }

    public boolean unregister(String name) {
        return services.remove(name) != null; // feasible: 2 of 2
    }

    public int size() {
        return services.size();
    }

    public void clear() {
        services.clear();
    }
}
