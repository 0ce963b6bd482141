// Feature: StringBuilder.setCharAt
package samples.guards;

public class BuilderSetChar {
    public static boolean patches(String word, char letter) {
        if (word.length() < 3) {
            return false;
        }
        StringBuilder builder = new StringBuilder(word);
        builder.setCharAt(2, letter);
        if (builder.toString().equals("mend") && word.charAt(2) == '?') {
            return true; // goal: reached
        }
        return false;
    }
}
