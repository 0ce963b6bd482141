package replay;

import java.util.Locale;

/** One method a model of texts; each looks at every character of what it got. */
public class Texts {
    static int look(CharSequence text) {
        int seen = text.length() > 3 ? 1 : 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 'a') {
                seen += 10;
            } else if (c < 'A') {
                seen += 100;
            } else if (c > 'm') {
                seen += 1000;
            }
        }
        return seen;
    }

    public static int substring(String s, int from, int to) {
        return look(s.substring(from, to));
    }

    public static int substringFrom(String s, int from) {
        return look(s.substring(from));
    }

    public static int constantSubstring(String s) {
        return s.substring(1, 3).equals("bc") ? 1 : look(s.subSequence(1, s.length()));
    }

    public static int concat(String s, String t) {
        String both = s.concat(t);
        return both.equals("abc") ? 1 : look(both);
    }

    public static int trim(String s) {
        String trimmed = s.trim();
        return trimmed.equals("a") ? 1 : look(trimmed);
    }

    /** References to what methods give back as it is. */
    public static int identity(String s) {
        if (s.trim() == s) {
            return s.toString() == s && s.strip() == s ? 1 : 2;
        }
        String empty = s.substring(0, 0);
        return empty == "" && s.substring(0) == s && s.replace('a', 'a') == s && new String(s) != s ? 3 : 4;
    }

    public static int strip(String s) {
        return look(s.strip()) + look(s.stripLeading()) * 7 + look(s.stripTrailing()) * 11;
    }

    public static int isBlank(String s) {
        return s.isBlank() ? 1 : s.isEmpty() ? 2 : 3;
    }

    public static int lower(String s) {
        String lower = s.toLowerCase();
        return lower.equals("abc") ? 1 : look(lower);
    }

    public static int upper(String s) {
        String upper = s.toUpperCase(Locale.ROOT);
        return upper.startsWith("A") ? 1 : look(upper.toLowerCase(Locale.ENGLISH));
    }

    public static int replaceChar(String s, char c) {
        return look(s.replace(c, 'z')) + look(s.replace('a', c));
    }

    public static int replaceText(String s) {
        return look(s.replace("ab", "x")) + look(s.replace("a", "")) + look(s.replace("", "-"));
    }

    public static int replaceGiven(String s, String t) {
        return look(s.replace(t, "yy"));
    }

    public static int repeat(String s, int n) {
        return n > 5 ? 0 : look(s.repeat(n));
    }

    public static int valueOf(char c, int i, boolean b) {
        return look(String.valueOf(c)) + look(String.valueOf(b)) * 3 + look(String.valueOf(i)) * 7;
    }

    public static int decimal(long l) {
        String text = Long.toString(l);
        return text.equals("77777") ? 1 : look(text);
    }

    public static int small(byte b, short s) {
        return look(Byte.toString(b)) + look(String.valueOf(s));
    }

    public static int hexadecimal(int i, long l) {
        return look(Integer.toHexString(i)) + look(Long.toOctalString(l)) * 3 + Integer.toBinaryString(i).length();
    }

    public static int chars(String s, int from, int count) {
        char[] chars = s.toCharArray();
        int first = chars.length > 1 && chars[0] == 'a' ? 5 : look(new String(chars));
        return first + look(new String(chars, from, count));
    }

    public static int join(String s, String t) {
        return look(String.join(", ", s, t, "a"));
    }

    public static int formatted(int i, long l, char c) {
        String text = String.format("%05d|%+d|%-6d|% d|%%", i, i, l, l);
        return text.equals("00003|+3|4     | 4|%") ? 1 : look(text) + look(String.format("%3c%-2c%n", c, c));
    }

    public static int formattedTexts(String s, boolean b, int i) {
        String text = "%2$s-%1$4s-%3$b".formatted(s, i, b);
        return text.startsWith("1-  ab-t") ? 1 : look(text);
    }

    public static int formattedBits(int i, long l) {
        String text = String.format(Locale.ROOT, "%04x:%x:%3o", i, l, i);
        return text.equals("000a:1: 12") ? 1 : look(text);
    }

    public static int formattedOtherwise(int i) {
        return String.format("%.2f", i / 4.0).equals("0.50") ? 1 : String.format("%(d", i).length();
    }

    /** What is asked again, in other words. */
    public static int decided(String s) {
        if (s.length() == 3 && s.charAt(1) == 'b') {
            return s.hashCode() == 96354 ? 1 : s.substring(1).equals("bc") ? 2 : look(s.trim());
        }
        if (s.length() < 2 || s.charAt(0) < 'a' || s.charAt(0) > 'b') {
            return s.startsWith("a") ? 3 : s.isEmpty() ? 4 : 5;
        }
        int last = s.length() - 1;
        return last >= 3 && s.charAt(last - 1) == s.charAt(last) ? look(s) : s.indexOf('a') == 0 ? 6 : 7;
    }

    public static int intern(String s) {
        return s.intern() == "abc" ? 1 : new String(s) == "abc" ? 2 : 3;
    }

    public static int compareTo(String s, String t) {
        int order = s.compareTo(t);
        if (order == 0) {
            return 0;
        }
        return order < 0 ? s.compareTo("bb") : order;
    }

    public static int compareIgnoringCase(String s, String t) {
        return s.compareToIgnoreCase(t) > 0 ? 1 : s.compareToIgnoreCase("B") == 0 ? 2 : 3;
    }

    public static int equalsIgnoringCase(String s, String t) {
        if (s.equalsIgnoreCase("sik")) {
            return 1;
        }
        if (s.equalsIgnoreCase(t)) {
            return 2;
        }
        return s.equalsIgnoreCase("\u00e9") ? 3 : 4;
    }

    public static int contentEquals(String s, String t) {
        return s.contentEquals(new StringBuilder(t)) ? 1 : s.contentEquals("ab") ? 2 : 3;
    }

    public static int startsWith(String s, String t, int from) {
        if (s.startsWith("b", from)) {
            return 1;
        }
        if (s.startsWith(t)) {
            return 2;
        }
        return s.startsWith(t, 1) ? 3 : 4;
    }

    public static int endsWith(String s, String t) {
        return s.endsWith(t) ? 1 : s.endsWith("bc") ? 2 : 3;
    }

    public static int contains(String s, String t) {
        return s.contains("ab") ? 1 : s.contains(t) ? 2 : 3;
    }

    public static int indexOf(String s, char c, int from) {
        int first = s.indexOf(c);
        if (first == 1) {
            return 1;
        }
        return s.indexOf(c, from) > first ? 2 : s.indexOf(98, 1) == 2 ? 3 : 4;
    }

    public static int indexOfText(String s, String t, int from) {
        int first = s.indexOf(t);
        if (first == 1) {
            return 1;
        }
        return s.indexOf(t, from) > first ? 2 : s.indexOf("b", 1) == 2 ? 3 : s.indexOf("") + s.indexOf("", 4);
    }

    public static int lastIndexOf(String s, char c, int from) {
        int last = s.lastIndexOf(c);
        if (last == 1) {
            return 1;
        }
        return s.lastIndexOf(c, from) < last ? 2 : s.lastIndexOf('b', 1) == 1 ? 3 : 4;
    }

    public static int lastIndexOfText(String s, String t, int from) {
        int last = s.lastIndexOf(t);
        if (last == 1) {
            return 1;
        }
        return s.lastIndexOf(t, from) < last ? 2 : s.lastIndexOf("b", 1) == 1 ? 3 : s.lastIndexOf("") == 2 ? 4 : 5;
    }

    public static int hash(String s) {
        int hash = s.hashCode();
        return hash == "abc".hashCode() ? 1 : hash > 1000 ? 2 : ((Object) s).hashCode() == 'a' ? 3 : 4;
    }

    public static int codePoints(String s, int at) {
        return s.codePointAt(at) == 'b' ? 1 : s.codePointAt(0) > 0xffff ? 2 : 3;
    }

    public static int regions(String s, String t) {
        if (s.regionMatches(1, t, 0, 2)) {
            return 1;
        }
        return s.regionMatches(true, 0, "xABx", 1, 2) ? 2 : 3;
    }

    public static int parseInt(String s) {
        int parsed = Integer.parseInt(s);
        return parsed == 12 ? 1 : parsed < 0 ? 2 : 3;
    }

    public static int parseOthers(String s) {
        long sum = 0;
        try {
            sum += Long.parseLong(s);
        } catch (NumberFormatException e) {
            sum -= 1;
        }
        try {
            sum += Byte.parseByte(s) > 5 ? 7 : 9;
        } catch (NumberFormatException e) {
            sum += Short.valueOf((short) 3);
        }
        if (sum > 5) {
            return Boolean.parseBoolean(s) ? 1 : 2;
        }
        return Integer.parseInt(s, 16) > 11 ? 3 : Integer.valueOf(s) == 0 ? 4 : 5;
    }

    public static int character(char c) {
        int seen = Character.isSpaceChar(c) ? 1 : 0;
        seen += Character.isISOControl(c) ? 2 : 0;
        seen += Character.isSurrogate(c) ? 4 : 0;
        seen += Character.isHighSurrogate(c) ? 8 : 0;
        return Character.isWhitespace(c) ? seen + 16 : seen;
    }

    public static int latinCharacter(char c) {
        int seen = Character.isDigit(c) ? 1 : 0;
        seen += Character.isLetter(c) ? 2 : 0;
        seen += Character.isLetterOrDigit(c) ? 4 : 0;
        seen += Character.isUpperCase(c) ? 8 : 0;
        seen += Character.isLowerCase(c) ? 16 : 0;
        seen += Character.isJavaIdentifierStart(c) ? 32 : 0;
        seen += Character.isJavaIdentifierPart(c) ? 64 : 0;
        seen += Character.isIdentifierIgnorable(c) ? 128 : 0;
        seen += Character.isAlphabetic(c) ? 256 : 0;
        seen += Character.isTitleCase(c) ? 512 : 0;
        if (Character.digit(c, 16) > 9) {
            return seen + Character.getNumericValue(c) * 1024;
        }
        return Character.getNumericValue(c) > 0 ? seen + 3 : Character.toLowerCase(c) == c ? seen + 5 : seen + 7;
    }

    public static int digits(int digit) {
        if (Character.forDigit(digit, 16) == 'b') {
            return 1;
        }
        return digit < 0 ? 2 : Character.forDigit(digit, 10) > '5' ? 3 : Character.toChars(digit & 0xff)[0] == 'M' ? 4 : 5;
    }

    public static int boxes(int i, int j, long l) {
        Integer a = i;
        Integer b = j;
        if (a == b) {
            return 1;
        }
        if (a.equals(b)) {
            return 2;
        }
        Object boxed = l;
        if (boxed.equals(7L) || boxed.equals(7)) {
            return 3;
        }
        if (a.compareTo(b) > 0) {
            return boxed.hashCode() == 5 ? 4 : 5;
        }
        return look(a.toString()) + Boolean.hashCode(i > 0);
    }

    public static int built(String s, char c, int i) {
        StringBuilder builder = new StringBuilder();
        builder.append("<").append(s).append(c).append(i).append('>').append(s.isEmpty()).append((String) null);
        return builder.length() > 12 ? 1 : look(builder.toString());
    }

    public static int edited(String s, int at, char c) {
        StringBuilder builder = new StringBuilder(s);
        builder.insert(at, c);
        builder.deleteCharAt(at / 2);
        builder.setCharAt(0, 'x');
        if (builder.charAt(builder.length() - 1) == 'x') {
            return 1;
        }
        builder.reverse().insert(0, true).delete(1, 3).replace(0, 1, s);
        return look(builder);
    }

    public static int buffer(String s, int length) {
        StringBuffer buffer = new StringBuffer(s).append(s, 0, 1).append(new char[] {'q', 'a'});
        if (length < 20) {
            buffer.setLength(length);
        }
        return buffer.indexOf("a") == 0 ? look(buffer.substring(1)) : buffer.lastIndexOf("q") + buffer.length();
    }

    public static int padded(String s) {
        StringBuilder builder = new StringBuilder(s);
        while (builder.length() < 4) {
            builder.insert(0, '0');
        }
        builder.setLength(6);
        return look(builder.toString());
    }

    static void fill(Appendable target) throws java.io.IOException {
        target.append("ab").append('c');
    }

    public static int handedOver(String s) {
        StringBuilder builder = new StringBuilder(s);
        s.chars().forEach(c -> builder.append((char) c));
        return look(builder.toString());
    }

    public static int looped(String s) throws java.io.IOException {
        StringBuilder builder = new StringBuilder();
        for (char c : s.toCharArray()) {
            if (c != 'a') {
                builder.append(Character.toUpperCase(c));
            }
        }
        fill(builder);
        return builder.toString().equals("BCabc") ? 1 : look(builder);
    }

    public static int switching(String s) {
        switch (s.trim().toLowerCase()) {
            case "abc":
                return 1;
            case "a":
                return 2;
            default:
                return 3;
        }
    }
}
