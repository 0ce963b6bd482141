package replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Strings whose literals are inputs. */
public class Strings {
    public static int scan(String s) {
        int digits = 0;
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c >= '0' && c <= '9') {
                digits++;
            } else if (c == '-') {
                return -1;
            }
        }
        return digits;
    }

    public static int compare(String s, String t) {
        if (s.equals("yes")) {
            return 1;
        }
        if (s.isEmpty() || t.startsWith("ab")) {
            return 2;
        }
        if (t.endsWith("c")) {
            return 4;
        }
        return s.equals(t) ? 3 : 0;
    }

    public static int index(String s, int i) {
        if (s.indexOf('x') == 1) {
            return 1;
        }
        return s.charAt(i) == 'b' ? 2 : 3;
    }

    public static int characters(char c) {
        if (Character.isDigit(c)) {
            return 1;
        }
        if (Character.isLetter(c)) {
            return Character.toUpperCase(c) == 'Q' ? 2 : 3;
        }
        return Character.isWhitespace(c) ? 4 : 5;
    }

    private static int taken(String s) {
        return s.length();
    }

    /// An input that is the same literal as one of the code.
    public static int literals(String s) {
        int n = taken("yes");
        String kept = java.util.Objects.requireNonNull(s);
        return kept.length() == n ? 1 : 2;
    }

    static class Named {
        int yes;
    }

    /// A text from elsewhere that is the same literal as the input: what it says does not change with the input.
    public static int elsewhere(String s) {
        String name = Named.class.getDeclaredFields()[0].getName();
        if (name.equals(s)) {
            return 1;
        }
        return s.length() > name.length() ? 2 : 3;
    }

    /** Empty parts of texts are the literal {@code ""}, whoever made them. */
    public static int parts(String s) {
        int found = 0;
        for (String text : new String[] {":" + s, "::" + s}) {
            List<String> parts = new ArrayList<>(Arrays.asList(text.split(":")));
            if (parts.size() > 1 && parts.remove(0).isEmpty()) {
                found = found * 2 + parts.get(parts.size() - 1).length();
            }
        }
        return found;
    }

    public static int identity(String s, String yes, String no) {
        if (s == yes) {
            return 1;
        }
        if (s == no) {
            return 2;
        }
        return s.equals(yes) ? 3 : 4;
    }

    public static int words(String s) {
        if (s == "yes") {
            return 1;
        }
        switch (s.length()) {
            case 1: {
                char first = s.charAt(0);
                if (first == 'a' || first == 'x') {
                    return 2;
                }
                break;
            }
            case 3: {
                char first = s.charAt(0);
                char second = s.charAt(1);
                char third = s.charAt(2);
                if ((first == 'a' || first == 'A') && (second == 'b' || second == 'B') && (third == 'c' || third == 'C')) {
                    return 3;
                }
                break;
            }
            default:
                break;
        }
        return 4;
    }

    public static int switching(String s) {
        switch (s) {
            case "one":
                return 1;
            case "two":
                return 2;
            default:
                return 3;
        }
    }
}
