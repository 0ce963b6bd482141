package replay;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Models of the library that are no methods of texts alone. */
public class Library {
    public static int matches(String s) {
        if (s.matches("-?\\d{1,3}")) {
            return 1;
        }
        if (s.matches("(?i)a(b|c*)+[^a-z]?")) {
            return 2;
        }
        if (s.matches("^\\s*(?:[\\w&&[^d]]|x)*$")) {
            return 3;
        }
        return s.matches("[^b].*") ? 4 : s.matches("b??a{2,}|\\p{Upper}\\Q.\\E*") ? 5 : 6;
    }

    /** Without what no automaton does. */
    public static int matchesExactly(String s) {
        if (s.matches("-?\\d{1,3}")) {
            return 1;
        }
        if (s.matches("(?i)a(b|c*)+[^a-z]?")) {
            return 2;
        }
        return s.matches("[^b].*") ? 3 : s.matches("b??a{2,}|(?<big>\\p{Upper})+") ? 4 : Pattern.matches("|b+", s) ? 5 : 6;
    }

    public static int found(String s) {
        Pattern pattern = Pattern.compile("a+[b9]");
        Matcher matcher = pattern.matcher(s);
        if (matcher.find()) {
            return 1;
        }
        if (Pattern.compile("^[ab]", Pattern.CASE_INSENSITIVE).matcher(s).lookingAt()) {
            return 2;
        }
        if (Pattern.compile("b$|\\z\\A").matcher(s).find()) {
            return 3;
        }
        return matcher.reset().matches() ? 4 : Pattern.compile("\\Ac?[ \\t]*$").matcher(s).find() ? 5 : 6;
    }

    public static int groups(String s) {
        Matcher matcher = Pattern.compile("(a+)b").matcher(s);
        int found = 0;
        while (matcher.find()) {
            found += matcher.group(1).length();
        }
        return found;
    }

    public static int split(String s) {
        String[] parts = s.split("b");
        int seen = parts.length * 10000;
        for (String part : parts) {
            seen += Texts.look(part);
        }
        return seen;
    }

    public static int splitOtherwise(String s) {
        int seen = 0;
        for (String part : s.split("[ ,\t]+", 2)) {
            seen += Texts.look(part) + 1;
        }
        for (String part : s.split("ab", -1)) {
            seen += part.equals("a") ? 1000 : 10;
        }
        return seen + s.split("\\.").length;
    }

    public static int replaced(String s) {
        return Texts.look(s.replaceAll("[^a-z]", "")) + Texts.look(s.replaceAll("\\s+", "_")) * 3
            + Texts.look(s.replaceFirst("ab", "x"));
    }

    public static int copied(int from, int to, int count) {
        int[] source = {from, to, 3, 4, 5};
        int[] target = new int[4];
        System.arraycopy(source, from, target, to, count);
        int[] kept = target.clone();
        target[0] = 7;
        if (kept[1] == 3) {
            return 1;
        }
        System.arraycopy(kept, 0, kept, 1, 3);
        return kept[2] > 3 ? 2 : kept[3] == count ? 3 : 4;
    }

    public static int references(String s, int count) {
        String[] source = {s, "a", "b"};
        String[] target = new String[3];
        System.arraycopy(source, 0, target, 1, count);
        return target[1] == null ? 1 : target[1].equals("ab") ? 2 : target[2] == "a" ? 3 : 4;
    }

    public static int exact(int i, long l, int j) {
        int sum = Integer.sum(i, Math.incrementExact(j));
        if (Math.multiplyExact(l, i) > 50) {
            return 1;
        }
        if (Math.multiplyExact(l, l) == 4) {
            return 2;
        }
        if (Math.multiplyFull(i, j) > Math.absExact(l)) {
            return 3;
        }
        return Math.decrementExact(i) > Long.max(l, 2) ? 4 : Integer.min(sum, Math.absExact(j));
    }

    public static int floors(int i, long l, int j) {
        if (Math.floorDiv(i, j) == -2) {
            return 1;
        }
        if (Math.floorMod(i, j) == 2 || Math.floorMod(l, j) == 3) {
            return 2;
        }
        return Math.floorDiv(l, j) < Math.floorMod(l, (long) i) ? 3 : Math.floorDiv(l, (long) i) > 0 ? 4 : 5;
    }
}
