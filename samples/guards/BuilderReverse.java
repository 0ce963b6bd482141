// Feature: StringBuilder.reverse
package samples.guards;

public class BuilderReverse {
    public static boolean isPalindrome(String word) {
        if (word.length() != 5 || word.charAt(0) == word.charAt(1) || word.charAt(2) == word.charAt(1)) {
            return false;
        }
        if (new StringBuilder(word).reverse().toString().equals(word)) {
            return true; // goal: reached
        }
        return false;
    }
}
