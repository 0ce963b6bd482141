// Feature: one character after the other
package samples.guards;

public class CharAtChain {
    public static int depth(String word) {
        if (word.length() > 4 && word.charAt(0) == 'q' && word.charAt(1) == word.charAt(0) + 1) {
            if (word.charAt(2) * 2 == word.charAt(3) + 110 && word.charAt(3) == 'z') {
                return 4; // goal: reached
            }
            return 2;
        }
        return 0;
    }
}
