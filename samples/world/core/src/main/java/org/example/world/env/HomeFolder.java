package org.example.world.env;

/** Paths below the folder that the variable HOME names. */
public class HomeFolder {

    /** The value of HOME, or a slash without it. */
    public String home() {
        String home = System.getenv("HOME");
        return home == null ? "/" : home; // environment: HOME
    }

    public String resolve(String name) {
        if (name.startsWith("/")) { // feasible: 2 of 2
            return name;
        }
        if (name.equals("~") || name.isEmpty()) { // feasible: 4 of 4
            return home();
        }
        return home() + "/" + name;
    }

    public boolean isHidden(String name) {
        return name.length() > 1 && name.charAt(0) == '.'; // feasible: 4 of 4
    }
}
