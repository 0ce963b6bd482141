package org.example.world.state;

import java.security.Provider;
import java.security.Security;

/** Adds and removes a security provider. */
public class ProviderSetup {

    /** A provider without services. */
    public static final class EmptyProvider extends Provider {
        private static final long serialVersionUID = 1;

        public EmptyProvider() {
            super("WorldEmpty", "1.0", "none");
        }
    }

    public int install() {
        if (isInstalled()) { // feasible: 2 of 2
            return -1;
        }
        return Security.addProvider(new EmptyProvider());
    }

    public boolean isInstalled() {
        return Security.getProvider("WorldEmpty") != null; // feasible: 2 of 2
    }

    public boolean remove() {
        boolean was = isInstalled();
        Security.removeProvider("WorldEmpty");
        return was;
    }

    public static String algorithm(int bits) {
        if (bits < 128) { // feasible: 2 of 2
            throw new IllegalArgumentException("too weak: " + bits);
        }
        return bits < 256 ? "AES-128" : "AES-256"; // feasible: 2 of 2
    }
}
