package org.example.shop.security;

import java.util.Optional;

/** The user of the request that this thread handles. */
public final class CurrentUser {

    private static final ThreadLocal<User> USER = new ThreadLocal<>();

    private CurrentUser() {
    }

    public static Optional<User> get() {
        return Optional.ofNullable(USER.get());
    }

    static void set(User user) {
        if (user == null) {
            USER.remove();
        } else {
            USER.set(user);
        }
    }
}
