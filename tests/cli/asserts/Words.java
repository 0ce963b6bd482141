package asserts;

import java.util.function.IntPredicate;

public class Words {
    public static int count(String text) {
        IntPredicate letter = c -> {
            assert c != '\t' && c != '\u0007' : "a control character";
            return c > ' ';
        };
        int words = 0;
        boolean in = false;
        for (int i = 0; i < text.length(); i++) {
            boolean is = letter.test(text.charAt(i));
            if (is && !in) words++;
            in = is;
        }
        return words;
    }
}
