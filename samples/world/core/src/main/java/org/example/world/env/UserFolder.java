package org.example.world.env;

/** Folders of the user who runs the JVM. */
public class UserFolder {

    public String user() {
        return System.getProperty("user.name");
    }

    public String settings(String application) {
        if (application.isBlank()) { // feasible: 2 of 2
            throw new IllegalArgumentException("no application");
        }
        return System.getProperty("user.home") + "/." + application;
    }

    public boolean isAdministrator() {
        return user().equals("root");
    }

    public static String initials(String name) {
        if (name.isEmpty()) { // feasible: 2 of 2
            return "?";
        }
        int space = name.lastIndexOf(' ');
        boolean second = space > 0 && space + 1 < name.length(); // feasible: 4 of 4
        return name.substring(0, 1) + (second ? name.substring(space + 1, space + 2) : ""); // feasible: 2 of 2
    }
}
