package refactorings;

public class Texts {
    private static final String VOWELS = "aeiou";

    public static String initials(String first, String last) {
        String head = head(first);
        return head.concat(head(last));
    }

    private static String head(String name) {
        return name.substring(0, 1);
    }

    public static boolean isBlank(String text) {
        return text == null || text.chars().allMatch(Character::isWhitespace);
    }

    public static String reverse(String text) {
        StringBuilder builder = new StringBuilder(text);
        builder.reverse();
        return builder.toString();
    }

    public static int vowels(String text) {
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            count += VOWELS.indexOf(text.charAt(i)) >= 0 ? 1 : 0;
        }
        return count;
    }

    public static String between(String text, char open, char close) {
        int begin = text.indexOf(open);
        if (begin < 0) {
            return null;
        }
        int end = text.indexOf(close, begin + 1);
        return end < 0 ? null : text.substring(begin + 1, end);
    }
}
