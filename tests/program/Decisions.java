package demo;

import java.util.Optional;
import java.util.Set;

/** Methods whose ends one or more conditions decide. */
class Decisions {
    private boolean sent;

    boolean isStaff(Set<String> roles) {
        return roles.contains("staff") || roles.contains("admin");
    }

    void notice(int count, boolean isOpen) {
        if (count > 9 && isOpen) {
            send();
        }
    }

    void send() {
        sent = true;
    }

    int checked(int percent) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("percent");
        }
        return percent;
    }

    String named(String first, String last) {
        if (first == null) {
            return last;
        }
        if (last == null) {
            return first;
        }
        return first + last;
    }

    int bound(String kind, Object item) {
        int bound = 0;
        if (item instanceof String text && text.isEmpty()) {
            bound = 1;
        }
        return bound;
    }

    int parsed(String text) {
        try {
            if (text.isEmpty()) {
                return 0;
            }
            int number = Integer.parseInt(text);
            return number > 9 ? 1 : 2;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    int longest(String[] words) {
        int longest = 0;
        for (String word : words) {
            if (word.length() > longest) {
                longest = word.length();
            }
        }
        return longest;
    }

    interface Items {
        Optional<String> findByName(String name);

        Optional<String> first();
    }

    String demanded(Items items, String name) {
        if (name.isEmpty()) {
            throw new IllegalStateException("no name");
        }
        String item = items.findByName(name).map(String::trim).orElseThrow(() -> new IllegalStateException(name));
        return item + first(items) + items.first().filter(String::isEmpty).orElseThrow();
    }

    private String first(Items items) {
        return items.first().orElseThrow();
    }
}
