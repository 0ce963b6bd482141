package org.example.world.startup;

/** An initialiser that fails without a system property. */
public class FailingStart {

    /** Settings that cannot be loaded without the property. */
    static class Settings {
        static final String NAME = load();

        private static String load() {
            String name = System.getProperty("org.example.world.settings");
            if (name == null) { // environment: a system property
                throw new IllegalStateException("no settings");
            }
            return name;
        }
    }

    public String name(int choice) {
        if (choice == 0) { // feasible: 2 of 2
            return "none";
        }
        return choice < 0 ? Settings.NAME : "choice " + choice; // feasible: 2 of 2
    }
}
