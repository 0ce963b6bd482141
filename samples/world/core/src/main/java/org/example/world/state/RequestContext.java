package org.example.world.state;

/** The user of the present request, in a variable of the thread. */
public class RequestContext {

    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    public static void enter(String user) {
        if (user == null || user.isEmpty()) { // feasible: 4 of 4
            throw new IllegalArgumentException("no user");
        }
        if (USER.get() != null) { // feasible: 2 of 2
            throw new IllegalStateException("entered by " + USER.get());
        }
        USER.set(user);
    }

    public static String user() {
        String user = USER.get();
        return user == null ? "anonymous" : user; // feasible: 2 of 2
    }

    public static boolean mayWrite() {
        return user().startsWith("admin");
    }

    public static void leave() {
        USER.remove();
    }
}
