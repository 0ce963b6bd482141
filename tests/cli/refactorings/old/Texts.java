package refactorings;

public class Texts {
    public static String initials(String first, String last) {
        return first.substring(0, 1) + last.substring(0, 1);
    }

    public static boolean isBlank(String text) {
        if (text == null) {
            return true;
        }
        for (int i = 0; i < text.length(); i++) {
            if (!Character.isWhitespace(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    public static String reverse(String text) {
        return new StringBuilder(text).reverse().toString();
    }

    public static int vowels(String text) {
        int count = 0;
        for (char letter : text.toCharArray()) {
            if (letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u') {
                count++;
            }
        }
        return count;
    }

    public static String between(String text, char open, char close) {
        int start = text.indexOf(open);
        int end = text.indexOf(close, start + 1);
        if (start < 0 || end < 0) {
            return null;
        }
        return text.substring(start + 1, end);
    }
}
