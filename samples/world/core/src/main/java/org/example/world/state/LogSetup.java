package org.example.world.state;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Sets the level of a logger. */
public class LogSetup {

    private static final Logger LOG = Logger.getLogger("org.example.world");

    public static void verbosity(int level) {
        if (level < 0) { // feasible: 2 of 2
            LOG.setLevel(Level.OFF);
        } else if (level == 0) { // feasible: 2 of 2
            LOG.setLevel(null);
        } else {
            LOG.setLevel(level > 2 ? Level.ALL : Level.FINE); // feasible: 2 of 2
        }
    }

    public static String level() {
        Level level = LOG.getLevel();
        return level == null ? "inherited" : level.getName(); // feasible: 2 of 2
    }

    public static boolean isVerbose() {
        return LOG.isLoggable(Level.FINE);
    }
}
